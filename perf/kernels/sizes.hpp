// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/kernel.hpp>

namespace perf {

/// Uniform in [low, high).
struct values_between {
  std::uint64_t seed;
  float low;
  float high;

  TANDEM_FUNCTION float operator()(index_t i) const {
    return low + 0.5f * (high - low) * (1.0f + uniform_values<float>{seed}(i));
  }
};

/// An array of n elements values(0), values(1), ..
template <class Space, class Values>
auto filled(const Space& space, index_t n, const Values& values) {
  array<decltype(values(n)), 1, Space> made(extents<1>(n), space);
  fill_with(space, made.view(), values);
  return made;
}

/// All elements of an array as a rank-1 view, read-only if the array is const.
template <class T, int Rank, class Space>
auto line_of(array<T, Rank, Space>& x) {
  return tandem::as_view<typename Space::memory_type>(x.data_handle(), x.size());
}
template <class T, int Rank, class Space>
auto line_of(const array<T, Rank, Space>& x) {
  return tandem::as_view<typename Space::memory_type>(x.data_handle(), x.size());
}

}  // namespace perf
