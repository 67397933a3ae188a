// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

inline constexpr int most_mandelbrot_steps = 256;

/// Steps after which the orbit of column i and row j of a picture leaves a circle.
TANDEM_FUNCTION inline int mandelbrot_steps(int j, int i, float step) {
  const float a = -2.0f + step * static_cast<float>(i);
  const float b = -1.25f + step * static_cast<float>(j);
  float x = 0;
  float y = 0;
  int steps = 0;
  while (steps < most_mandelbrot_steps) {
    const float xx = x * x;
    const float yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + b;
    x = xx - yy + a;
    ++steps;
  }
  return steps;
}

/// A picture of the Mandelbrot set: the cost of neighbouring elements varies between one step and
/// all of them.
template <class Space>
struct mandelbrot {
  static constexpr const char* name = "mandelbrot";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{256, 256}, {512, 512}, {1024, 1024}}, {{8192, 8192}}};
  /// The picture alone; the operations depend on the set.
  static constexpr kernel_cost cost_each{.bytes = sizeof(int)};

  mandelbrot(const Space& space, const kernel_size& size) : picture({size[0], size[1]}, space) {}
  void reset(const Space& space) { tandem::fill(space, picture, -1); }
  outcome result(const Space& space) { return summary(space, picture.view()); }
  float step() const { return 2.5f / static_cast<float>(picture.extent(0)); }

  /// A warp of a GPU computes 4 x 8 neighbours, whose orbits are about as long.
  void run(const Space& space) {
    const auto out = picture.view();
    const float width = step();
    tandem::parallel_for(
        space, tandem::grid(out.extent(0), out.extent(1)).template with_block<16, 8>(),
        TANDEM_LAMBDA(int j, int i) { out(j, i) = mandelbrot_steps(j, i, width); });
  }

  array<int, 2, Space> picture;
};

}  // namespace perf
