// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blurs a picture by a separable convolution: the same pass over rows and then over columns, in
// which teams load a piece of a row into scratch once and use each pixel 17 times.
// `separable_blur picture.png` draws rings, sharp on the left and blurred on the right;
// `separable_blur picture.png 8192` chooses the size.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tandem/tandem.hpp>

#include "png.hpp"

namespace {

constexpr int reach = 8, taps = 2 * reach + 1, piece = 256;
using picture = tandem::array<float, 2>;
using weights = tandem::constant<float, taps>;

/// Blurs each row, repeating the pixels at its ends, and stores it as a column: a second pass blurs
/// the columns and turns the picture back.
void blur_rows(const picture& before, picture& after, const weights& weight) {
  const auto in = before.const_view();
  const auto out = after.view();
  const int rows = int(in.extent(0)), columns = int(in.extent(1));
  const int pieces = (columns + piece - 1) / piece, width = piece + 2 * reach;
  const tandem::team_shape shape{.teams = tandem::index_t{rows} * pieces,
                                 .lanes = piece,
                                 .scratch_bytes = sizeof(float) * std::size_t(width)};
  tandem::parallel_teams(
      shape, TANDEM_LAMBDA(tandem::team & t) {
        float* const pixels = t.scratch<float>(width);
        const int row = int(t.index() / pieces), first = int(t.index() % pieces) * piece;
        t.for_each(width, [&](int i) {
          pixels[i] = in(row, tandem::clamp(first + i - reach, 0, columns - 1));
        });
        t.for_each(tandem::min(piece, columns - first), [&](int i) {
          float sum = 0;
          for (int k = 0; k < taps; ++k) sum = tandem::fma(weight[k], pixels[i + k], sum);
          out(first + i, row) = sum;
        });
      });
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 2 ? std::atoi(argv[2]) : 320;
  picture sharp({n, n}), turned({n, n}), blurred({n, n});
  const auto s = sharp.view();
  tandem::parallel_for(
      tandem::grid{n, n}, TANDEM_LAMBDA(int j, int i) {  // rings, finer and finer outwards
        const float x = float(2 * i - n) / float(n), y = float(2 * j - n) / float(n);
        s(j, i) = 0.5f + 0.5f * tandem::cos(90 * (x * x + y * y));
      });

  weights weight;
  float total = 0;
  for (int k = 0; k < taps; ++k)
    total += weight.values[k] = tandem::exp(-0.06f * float((k - reach) * (k - reach)));
  for (float& one : weight.values) one /= total;
  blur_rows(sharp, turned, weight);
  blur_rows(turned, blurred, weight);

  // The convolution in two dimensions adds 289 products per pixel.
  const auto b = blurred.const_view();
  const float error = tandem::parallel_reduce(
      tandem::grid{n, n},
      TANDEM_LAMBDA(int j, int i) {
        double sum = 0;
        for (int l = 0; l < taps; ++l)
          for (int k = 0; k < taps; ++k)
            sum += double(weight[l]) * double(weight[k]) *
                   double(s(tandem::clamp(j + l - reach, 0, n - 1),
                            tandem::clamp(i + k - reach, 0, n - 1)));
        return tandem::abs(float(sum) - b(j, i));
      },
      tandem::maximum{});
  std::printf("%d x %d pixels, blurred over %d x %d: error %.1e\n", n, n, taps, taps,
              double(error));

  if (argc > 1) {
    const auto left = tandem::to_vector(sharp), right = tandem::to_vector(blurred);
    std::vector<std::array<std::uint8_t, 3>> pixels;
    for (std::size_t p = 0; p < left.size(); ++p) {
      const auto grey = std::uint8_t(255 * (int(p) % n < n / 2 ? left : right)[p]);
      pixels.push_back({grey, grey, grey});
    }
    if (!example::write_png(argv[1], n, n, pixels)) {
      std::printf("cannot write %s\n", argv[1]);
      return 1;
    }
  }
  return error <= 2 * (taps + 1) * 5.96e-8f ? 0 : 1;  // roundings of floats below 1
}
