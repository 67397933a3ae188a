// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>
#include <perf/kernels/team_rows.hpp>

namespace perf {

/// Softmax of each row of a matrix: exp(x - max) / sum(exp(x - max)). The lengths of rows are
/// multiples of lanes * row_each.
template <class Space>
struct softmax {
  static constexpr const char* name = "softmax_by_teams";
  static constexpr const char* type = "f32";
  static constexpr int lanes = row_lanes<Space>;
  /// (n - 1) * 2^-24 for n = 1024 positive terms in any order, on either side.
  static constexpr double error = 2 * 1024 * 0x1p-24;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {{1024, 1024}, {4096, 1024}, {16384, 1024}}, {{65536, 1024}});
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 2.0 * sizeof(float) * static_cast<double>(size[0] * size[1])};
  }

  softmax(const Space& space, const kernel_size& size)
      : x(tandem::extents<2>(size[0], size[1]), space),
        y(tandem::extents<2>(size[0], size[1]), space) {
    fill_with(space, line_of(x), values_between{1, -5, 5});
  }

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const auto in = x.const_view();
    const auto out = y.view();
    const auto n = static_cast<int>(in.extent(1));
    const std::size_t bytes = static_cast<std::size_t>(n + 2 * lanes) * sizeof(float);
    tandem::parallel_teams(
        space, {in.extent(0), lanes, bytes}, TANDEM_LAMBDA(tandem::team & team) {
          float* const row = team.scratch<float>(n);
          float* const maxima = team.scratch<float>(lanes);
          float* const sums = team.scratch<float>(lanes);
          const tandem::index_t j = team.index();
          const auto load = [=](int i) { return row[i] = in(j, i); };
          fold_row<lanes>(team, n, maxima, below_all, load, larger_of{});
          const float largest = combine_partials<lanes>(team, maxima, larger_of{});
          const auto raise = [=](int i) { return row[i] = tandem::exp(row[i] - largest); };
          fold_row<lanes>(team, n, sums, 0.0f, raise, sum_of{});
          const float scale = 1.0f / combine_partials<lanes>(team, sums, sum_of{});
          team.for_each(n, [=](int i) { out(j, i) = row[i] * scale; });
        });
  }

  tandem::array<float, 2, Space> x;
  tandem::array<float, 2, Space> y;
};

}  // namespace perf
