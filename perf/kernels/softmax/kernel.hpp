// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>
#include <perf/kernels/team_rows.hpp>

namespace perf {

/// Softmax of each row of a matrix: exp(x - max) / sum(exp(x - max)).
template <class Space>
struct softmax {
  static constexpr const char* name = "softmax_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int lanes = row_lanes<Space>;
  /// (n - 1) * 2^-24 for n = row_length positive terms in any order, on either side.
  static constexpr double error = 2 * row_length * 0x1p-24;

  static inline const kernel_sizes sizes{
      {{1024, row_length}, {4096, row_length}, {16384, row_length}}, {{65536, row_length}}};
  static constexpr kernel_cost cost_each{.bytes = 2.0 * sizeof(float)};

  softmax(const Space& space, const kernel_size& size)
      : x(extents<2>(size[0], size[1]), space), y(extents<2>(size[0], size[1]), space) {
    fill_with(space, line_of(x), values_between{1, -5, 5});
  }

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const auto in = x.const_view();
    const auto out = y.view();
    const tandem::team_shape shape{in.extent(0), lanes,
                                   kept_row<Space>::scratch_bytes + 2 * lanes * sizeof(float)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          float* const maxima = team.scratch<float>(lanes);
          float* const sums = team.scratch<float>(lanes);
          kept_row<Space> row(team);
          const index_t j = team.index();
          const auto load = [&](int lane, int k) { return row(lane, k) = in(j, lane + k * lanes); };
          const float largest = fold_row<Space>(team, maxima, below_all, load, larger_of{});
          const auto raise = [&](int lane, int k) {
            return row(lane, k) = tandem::exp(row(lane, k) - largest);
          };
          const float scale = 1.0f / fold_row<Space>(team, sums, 0.0f, raise, sum_of{});
          row.for_each(team,
                       [&](int lane, int k) { out(j, lane + k * lanes) = row(lane, k) * scale; });
        });
  }

  array<float, 2, Space> x;
  array<float, 2, Space> y;
};

}  // namespace perf
