// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/kernel.hpp>

namespace perf {

/// The transpose of a matrix by teams, each of which reads a tile into its scratch by rows and
/// writes it by columns. Both sides of the matrix are multiples of a tile's.
template <class Space>
struct transpose {
  static constexpr const char* name = "transpose_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int side = 32;
  static constexpr int lanes = 256;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    if (chosen.quick) return {{1024, 1024}};
    return {{1024, 1024}, {8192, 8192}};
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 2 * sizeof(float) * static_cast<double>(size[0] * size[1])};
  }

  transpose(const Space& space, const kernel_size& size)
      : x({size[0], size[1]}, space), z({size[1], size[0]}, space) {
    fill_with(space, tandem::as_view<typename Space::memory_type>(x.data_handle(), x.size()),
              uniform_values<float>{1});
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) { return summary(space, z.view()); }

  void run(const Space& space) {
    const auto in = x.const_view();
    const auto out = z.view();
    const tandem::index_t across = in.extent(1) / side;
    const tandem::team_shape shape{
        .teams = in.extent(0) / side * across,
        .lanes = lanes,
        .scratch_bytes = sizeof(float) * side * (side + 1),
    };
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & t) {
          const int top = static_cast<int>(t.index() / across) * side;
          const int left = static_cast<int>(t.index() % across) * side;
          float* const tile = t.scratch<float>(side * (side + 1));
          t.for_each(side * side, [=](int m) {
            tile[m / side * (side + 1) + m % side] = in(top + m / side, left + m % side);
          });
          t.for_each(side * side, [=](int m) {
            out(left + m / side, top + m % side) = tile[m % side * (side + 1) + m / side];
          });
        });
  }

  tandem::array<float, 2, Space> x;
  tandem::array<float, 2, Space> z;
};

}  // namespace perf
