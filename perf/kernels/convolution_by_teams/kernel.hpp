// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <utility>

namespace perf {

inline constexpr int filter_radius = 2;
inline constexpr int filter_side = 2 * filter_radius + 1;

/// The weights of a filter, row by row.
struct filter_weights {
  float at[filter_side][filter_side];
};

/// `sum` with a row of weighted elements added, from the left.
[[gnu::always_inline]] TANDEM_FUNCTION inline float filtered(float sum, const float* weights,
                                                             const float* row) {
  static_assert(filter_side == 5);
  sum += weights[0] * row[0];
  sum += weights[1] * row[1];
  sum += weights[2] * row[2];
  sum += weights[3] * row[3];
  sum += weights[4] * row[4];
  return sum;
}

/// A picture filtered by 5 x 5 weights, by teams that share a tile and its margins in scratch. Each
/// lane has a column of the tile. The picture's inside is a multiple of a tile.
template <class Space>
struct convolution {
  static constexpr const char* name = "convolution_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int width = 128;
  static constexpr int height = 16;
  /// Rows of a phase: several share their loads on a GPU, a CPU vectorises the loop of one.
  static constexpr int rows_at_once = Space::memory_type::host_accessible ? 1 : 4;
  static constexpr int pitch = width + 2 * filter_radius;
  static constexpr int scratch = pitch * (height + 2 * filter_radius);

  static inline const kernel_sizes sizes{{{1024, 1024}, {3072, 3072}, {8192, 8192}}};
  /// A multiplication and an addition per weight.
  static constexpr kernel_cost cost_each{.flops = 2.0 * filter_side * filter_side};

  convolution(const Space& space, const kernel_size& size)
      : x({size[0] + 2 * filter_radius, size[1] + 2 * filter_radius}, space),
        z({size[0], size[1]}, space) {
    fill_with(space, tandem::as_view<typename Space::memory_type>(x.data_handle(), x.size()),
              uniform_values<float>{1});
    for (int j = 0; j < filter_side; ++j) {
      for (int i = 0; i < filter_side; ++i)
        weights.at[j][i] = uniform_values<float>{1 << 20}(j * filter_side + i);
    }
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) { return summary(space, z.view()); }

  void run(const Space& space) {
    const auto in = line_of(std::as_const(x));  // an int is enough for its indices
    const auto pitch_in = static_cast<int>(x.extent(1));
    const auto out = z.view();
    const filter_weights w = weights;
    const int across = static_cast<int>(out.extent(1)) / width;
    const tandem::team_shape shape{
        .teams = out.extent(0) / height * across,
        .lanes = width,
        .scratch_bytes = sizeof(float) * scratch,
    };
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & t) {
          const int top = static_cast<int>(t.index()) / across * height;
          const int left = static_cast<int>(t.index()) % across * width;
          float* const tile = t.scratch<float>(scratch);
          t.for_each(scratch / pitch, pitch, [=](int i, int j) {
            tile[i * pitch + j] = in((top + i) * pitch_in + left + j);
          });
          for (int row = 0; row < height; row += rows_at_once) {
            t.for_each_lane([=](int lane) {
              float sums[static_cast<std::size_t>(rows_at_once)] = {};
              const float* const first = tile + row * pitch + lane;
              for (int j = 0; j < rows_at_once + 2 * filter_radius; ++j) {
                for (int r = 0; r < rows_at_once; ++r) {
                  if (j >= r && j - r < filter_side)
                    sums[r] = filtered(sums[r], w.at[j - r], first + j * pitch);
                }
              }
              for (int r = 0; r < rows_at_once; ++r) out(top + row + r, left + lane) = sums[r];
            });
          }
        });
  }

  array<float, 2, Space> x;
  array<float, 2, Space> z;
  filter_weights weights = {};
};

}  // namespace perf
