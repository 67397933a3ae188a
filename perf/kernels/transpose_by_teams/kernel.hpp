// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <utility>

namespace perf {

/// The transpose of a matrix by teams, each of which reads a tile into its scratch by rows and
/// writes it by columns. Both sides of the matrix are multiples of a tile's.
template <class Space>
struct transpose {
  static constexpr const char* name = "transpose_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int height = 32;
  /// A CPU reads long runs of a row faster; such a tile has 33 KB.
  static constexpr int width = Space::memory_type::host_accessible ? 256 : 32;
  static constexpr int lanes = 256;

  static inline const kernel_sizes sizes{{{1024, 1024}, {3072, 3072}, {8192, 8192}}};
  static constexpr kernel_cost cost_each{.bytes = 2 * sizeof(float)};

  transpose(const Space& space, const kernel_size& size)
      : x({size[0], size[1]}, space), z({size[1], size[0]}, space) {
    fill_with(space, line_of(x), uniform_values<float>{1});
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) { return summary(space, z.view()); }

  /// Uses rank-1 views of both matrices: an int suffices for their indices, and a GPU multiplies
  /// ints faster.
  void run(const Space& space) {
    const auto in = line_of(std::as_const(x));
    const auto out = line_of(z);
    const auto rows = static_cast<int>(x.extent(0));
    const auto n = static_cast<int>(x.extent(1));
    const int across = n / width;
    const tandem::team_shape shape{
        .teams = rows / height * across,
        .lanes = lanes,
        .scratch_bytes = sizeof(float) * height * (width + 1),
    };
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & t) {
          const auto tile_number = static_cast<int>(t.index());
          const int top = tile_number / across * height;
          const int left = tile_number % across * width;
          const int from = top * n + left;
          const int to = left * rows + top;
          float* const tile = t.scratch<float>(height * (width + 1));
          t.for_each(height, width,
                     [=](int i, int j) { tile[i * (width + 1) + j] = in(from + i * n + j); });
          t.for_each(width, height,
                     [=](int i, int j) { out(to + i * rows + j) = tile[j * (width + 1) + i]; });
        });
  }

  array<float, 2, Space> x;
  array<float, 2, Space> z;
};

}  // namespace perf
