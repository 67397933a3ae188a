// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/kernel.hpp>

namespace perf {

/// The largest change between two states of a volume, as an iteration's test of convergence: a
/// maximum over a grid of three dimensions, whose term reads two arrays.
template <class Space>
struct volume_maximum {
  static constexpr const char* name = "volume_maximum";
  static constexpr const char* type = "f32";

  static std::vector<kernel_size> sizes(const settings& chosen) {
    if (chosen.quick) return {{100, 100, 100}};
    return {{100, 100, 100}, {512, 512, 256}};
  }
  static kernel_cost cost(const kernel_size& n) {
    return {.bytes = 8.0 * static_cast<double>(n[0] * n[1] * n[2])};
  }

  volume_maximum(const Space& space, const kernel_size& n)
      : before(tandem::extents<3>(n[0], n[1], n[2]), space),
        after(tandem::extents<3>(n[0], n[1], n[2]), space),
        largest(tandem::extents<1>(1), space) {
    fill_with(space, flat(before), uniform_values<float>{1});
    fill_with(space, flat(after), uniform_values<float>{std::uint64_t{1} << 40});
  }
  void reset(const Space& space) { tandem::fill(space, largest, -1.0f); }
  outcome result(const Space& space) { return summary(space, largest.const_view()); }

  void run(const Space& space) {
    const auto x = before.const_view();
    const auto y = after.const_view();
    tandem::parallel_reduce_into(
        space, tandem::grid{x.extent(0), x.extent(1), x.extent(2)},
        TANDEM_LAMBDA(int k, int j, int i) { return tandem::abs(y(k, j, i) - x(k, j, i)); },
        tandem::maximum{}, tandem::subview(largest.view(), 0));
  }

  static auto flat(tandem::array<float, 3, Space>& a) {
    return tandem::as_view<typename Space::memory_type>(a.data_handle(), a.size());
  }

  tandem::array<float, 3, Space> before;
  tandem::array<float, 3, Space> after;
  tandem::array<float, 1, Space> largest;
};

}  // namespace perf
