// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>
#include <perf/kernels/team_rows.hpp>

namespace perf {

/// Added to variances.
inline constexpr float norm_epsilon = 1e-5f;

/// Layer normalisation of each row of a matrix: (x - mean) / sqrt(variance + epsilon) * gain +
/// bias, with the variance about the computed mean. The lengths of rows are multiples of
/// lanes * row_each.
template <class Space>
struct layer_norm {
  static constexpr const char* name = "layer_norm_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int lanes = row_lanes<Space>;
  /// Two sums of n = 1024 terms of about the deviation, each wrong by (n - 1) * 2^-24 at most, on
  /// either side.
  static constexpr double error = 4 * 1024 * 0x1p-24;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {{1024, 1024}, {4096, 1024}, {16384, 1024}}, {{65536, 1024}});
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 2.0 * sizeof(float) * static_cast<double>(size[0] * size[1])};
  }

  layer_norm(const Space& space, const kernel_size& size)
      : x(tandem::extents<2>(size[0], size[1]), space),
        y(tandem::extents<2>(size[0], size[1]), space),
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
    const auto n = static_cast<int>(in.extent(1));
    const std::size_t bytes = static_cast<std::size_t>(n + 2 * lanes) * sizeof(float);
    tandem::parallel_teams(
        space, {in.extent(0), lanes, bytes}, TANDEM_LAMBDA(tandem::team & team) {
          float* const row = team.scratch<float>(n);
          float* const sums = team.scratch<float>(lanes);
          float* const squares = team.scratch<float>(lanes);
          const tandem::index_t j = team.index();
          const auto length = static_cast<float>(n);
          const auto load = [=](int i) { return row[i] = in(j, i); };
          fold_row<lanes>(team, n, sums, 0.0f, load, sum_of{});
          const float mean = combine_partials<lanes>(team, sums, sum_of{}) / length;
          const auto square = [=](int i) { return (row[i] - mean) * (row[i] - mean); };
          fold_row<lanes>(team, n, squares, 0.0f, square, sum_of{});
          const float variance = combine_partials<lanes>(team, squares, sum_of{}) / length;
          const float scale = 1.0f / tandem::sqrt(variance + norm_epsilon);
          team.for_each(
              n, [=](int i) { out(j, i) = (row[i] - mean) * scale * of_gain(i) + of_bias(i); });
        });
  }

  tandem::array<float, 2, Space> x;
  tandem::array<float, 2, Space> y;
  tandem::array<float, 1, Space> gain;
  tandem::array<float, 1, Space> bias;
};

}  // namespace perf
