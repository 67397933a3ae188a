// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equalises the histogram of a grey image: counts of 256 values, their running sum, and a lookup.
#include <cstdint>
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int height = 1080, width = 1920, pixels = height * width;
  tandem::array<std::uint8_t, 2> image({height, width});
  const auto dark = image.view();
  tandem::parallel_for(
      tandem::grid{height, width}, TANDEM_LAMBDA(int y, int x) {
        dark(y, x) = std::uint8_t(((x * 7 + y * 13) % 64 + (x ^ y) % 64) / 2);  // 0 to 63
      });

  tandem::array<int> counts(256), below(256);
  tandem::histogram(image, counts);
  tandem::parallel_scan(counts, below);

  const auto rank = below.const_view();
  tandem::parallel_for(
      tandem::grid{height, width}, TANDEM_LAMBDA(int y, int x) {
        const std::int64_t share = rank(dark(y, x));
        dark(y, x) = std::uint8_t(share * 255 / pixels);
      });

  // The running sum ends with the number of pixels. Each quarter of the value range holds a quarter
  // of the equalised image, give or take the pixels of one value.
  tandem::array<int> quarters(4);
  const auto edges = tandem::array<std::uint8_t>::of({0, 64, 128, 192, 255});
  tandem::histogram(image, edges, quarters);
  const auto all = tandem::to_vector(below).back();
  bool even = all == pixels;
  for (const int count : tandem::to_vector(quarters)) {
    std::printf("%.3f ", double(count) / pixels);
    even = even && count > pixels / 5 && count < pixels / 10 * 3;
  }
  std::printf("of the pixels in each quarter of the values\n");
  return even ? 0 : 1;
}
