// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <utility>

namespace perf {

/// The largest change between two states of a volume, as an iteration's test of convergence: a
/// maximum over a grid of three dimensions, whose term reads two arrays.
template <class Space>
struct volume_maximum {
  static constexpr const char* name = "volume_maximum";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{100, 100, 100}, {200, 200, 200}, {512, 512, 256}}};
  static constexpr kernel_cost cost_each{.bytes = 8.0};

  volume_maximum(const Space& space, const kernel_size& n)
      : before(extents<3>(n[0], n[1], n[2]), space),
        after(extents<3>(n[0], n[1], n[2]), space),
        largest(extents<1>(1), space) {
    fill_with(space, line_of(before), uniform_values<float>{1});
    fill_with(space, line_of(after), uniform_values<float>{std::uint64_t{1} << 40});
  }
  void reset(const Space& space) { tandem::fill(space, largest, -1.0f); }
  outcome result(const Space& space) { return summary(space, largest.const_view()); }

  /// Reads both volumes as rank-1 views through one int index, which a GPU computes faster than the
  /// indices of views of rank 3.
  void run(const Space& space) {
    const auto x = line_of(std::as_const(before));
    const auto y = line_of(std::as_const(after));
    const auto rows = static_cast<int>(before.extent(1));
    const auto n = static_cast<int>(before.extent(2));
    tandem::parallel_reduce_into(
        space, tandem::grid{before.extent(0), before.extent(1), before.extent(2)},
        TANDEM_LAMBDA(int k, int j, int i) {
          const int at = (k * rows + j) * n + i;
          return tandem::abs(y(at) - x(at));
        },
        tandem::maximum{}, tandem::subview(largest.view(), 0));
  }

  array<float, 3, Space> before;
  array<float, 3, Space> after;
  array<float, 1, Space> largest;
};

}  // namespace perf
