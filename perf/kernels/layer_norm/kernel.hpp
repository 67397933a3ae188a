// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>
#include <perf/kernels/team_rows.hpp>

namespace perf {

/// Added to variances.
inline constexpr float norm_epsilon = 1e-5f;

/// Layer normalisation of each row of a matrix: (x - mean) / sqrt(variance + epsilon) * gain +
/// bias, with the variance about the computed mean.
template <class Space>
struct layer_norm {
  static constexpr const char* name = "layer_norm_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int lanes = row_lanes<Space>;
  /// Two sums of n = row_length terms of about the deviation, each wrong by (n - 1) * 2^-24 at
  /// most, on either side.
  static constexpr double error = 4 * row_length * 0x1p-24;

  static inline const kernel_sizes sizes{
      {{1024, row_length}, {4096, row_length}, {16384, row_length}}, {{65536, row_length}}};
  static constexpr kernel_cost cost_each{.bytes = 2.0 * sizeof(float)};

  layer_norm(const Space& space, const kernel_size& size)
      : x(extents<2>(size[0], size[1]), space),
        y(extents<2>(size[0], size[1]), space),
        gain(filled(space, size[1], values_between{2, 0.5f, 1.5f})),
        bias(filled(space, size[1], values_between{3, -1, 1})) {
    fill_with(space, line_of(x), values_between{1, -1, 2});
  }

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const auto in = x.const_view();
    const auto of_gain = gain.const_view();
    const auto of_bias = bias.const_view();
    const auto out = y.view();
    const tandem::team_shape shape{in.extent(0), lanes,
                                   kept_row<Space>::scratch_bytes + 2 * lanes * sizeof(float)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          float* const sums = team.scratch<float>(lanes);
          float* const squares = team.scratch<float>(lanes);
          kept_row<Space> row(team);
          const index_t j = team.index();
          const auto load = [&](int lane, int k) { return row(lane, k) = in(j, lane + k * lanes); };
          const float mean = fold_row<Space>(team, sums, 0.0f, load, sum_of{}) / row_length;
          const auto square = [&](int lane, int k) {
            const float deviation = row(lane, k) - mean;
            return deviation * deviation;
          };
          const float variance =
              fold_row<Space>(team, squares, 0.0f, square, sum_of{}) / row_length;
          const float scale = 1.0f / tandem::sqrt(variance + norm_epsilon);
          row.for_each(team, [&](int lane, int k) {
            const int i = lane + k * lanes;
            out(j, i) = (row(lane, k) - mean) * scale * of_gain(i) + of_bias(i);
          });
        });
  }

  array<float, 2, Space> x;
  array<float, 2, Space> y;
  array<float, 1, Space> gain;
  array<float, 1, Space> bias;
};

}  // namespace perf
