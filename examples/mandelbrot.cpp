// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Mandelbrot set. `mandelbrot picture.png` writes a picture.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

#include "png.hpp"

namespace {

constexpr int height = 480, width = 720, most_steps = 200;

/// Steps of z -> z^2 + c until |z| > 2, for c over [-2.25, 0.75] x [-1, 1]; most_steps inside.
void count_steps(tandem::array<int, 2>& image) {
  const auto steps = image.view();
  tandem::parallel_for(
      tandem::grid{height, width}, TANDEM_LAMBDA(int y, int x) {
        const double real = -2.25 + 3.0 * (x + 0.5) / width;
        const double imaginary = 2.0 * (y + 0.5) / height - 1.0;
        double u = 0, v = 0;
        int count = 0;
        for (; count < most_steps && u * u + v * v <= 4; ++count) {
          const double next = u * u - v * v + real;
          v = 2 * u * v + imaginary;
          u = next;
        }
        steps(y, x) = count;
      });
}

/// Blue to white outside the set and black inside.
std::vector<std::array<std::uint8_t, 3>> coloured(const std::vector<int>& steps) {
  std::vector<std::array<std::uint8_t, 3>> pixels;
  for (const int count : steps) {
    const int bright = count == most_steps ? 0 : 40 + 215 * count / most_steps;
    const int blue = count == most_steps ? 0 : tandem::min(255, 90 + 4 * count);
    pixels.push_back({std::uint8_t(bright), std::uint8_t(bright), std::uint8_t(blue)});
  }
  return pixels;
}

}  // namespace

int main(int argc, char** argv) {
  tandem::array<int, 2> image({height, width});
  count_steps(image);
  const auto steps = image.const_view();

  // The area of the set is 1.5066; its lower half mirrors the upper one.
  const auto inside = tandem::count_if(
      image, TANDEM_LAMBDA(int count) { return count == most_steps; });
  const double area = double(inside) * 6.0 / (height * width);
  const auto asymmetric = tandem::parallel_reduce(
      tandem::grid{height, width},
      TANDEM_LAMBDA(int y, int x) { return steps(y, x) == steps(height - 1 - y, x) ? 0 : 1; });
  std::printf("area %.4f, %d pixels without their mirror image\n", area, int(asymmetric));
  if (argc > 1 && !example::write_png(argv[1], width, height, coloured(tandem::to_vector(image)))) {
    std::printf("cannot write %s\n", argv[1]);
    return 1;
  }
  return area > 1.5066 && area < 1.56 && asymmetric < height * width / 1000 ? 0 : 1;
}
