// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_reduce.hpp>

#include <type_traits>

namespace tandem {

// Extremes of a view's elements with their position. Any rank and layout; positions are row-major.
// NaN wins over every number, ties go to the first position, as in numpy.argmin. Of no elements:
// index -1. Block until the result is there.

/// Smallest element and where it stands first: {value, index}.
template <execution_space Space, class T, int Rank, class Layout, class Memory>
auto minimum_position(const Space& space, const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(space, x, minimum_at<std::remove_const_t<T>>{});
}
template <class T, int Rank, class Layout, class Memory>
auto minimum_position(const view<T, Rank, Layout, Memory>& x) {
  return minimum_position(default_instance<default_space>(), x);
}

/// Largest element and where it stands first: {value, index}.
template <execution_space Space, class T, int Rank, class Layout, class Memory>
auto maximum_position(const Space& space, const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(space, x, maximum_at<std::remove_const_t<T>>{});
}
template <class T, int Rank, class Layout, class Memory>
auto maximum_position(const view<T, Rank, Layout, Memory>& x) {
  return maximum_position(default_instance<default_space>(), x);
}

}  // namespace tandem
