// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_reduce.hpp>

#include <type_traits>

namespace tandem {

/// Smallest element of a view and its first position: {value, index}.
///
/// x          view of any rank and layout; the position is counted row-major, from 0
/// Returns    of several equal elements the first one, of NaNs the first, before every number, as
///            numpy.argmin has it; of no elements the index -1
/// Errors     argument_error when x has no memory, or memory that the space cannot touch
/// Agreement  the same on every backend
/// Blocks until the result is there. Reads x once.
template <execution_space Space, class T, int Rank, class Layout, class Memory>
auto argmin(const Space& space, const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(space, x, minloc<std::remove_const_t<T>>{});
}

/// Calls argmin(space, x) on the default space.
template <class T, int Rank, class Layout, class Memory>
auto argmin(const view<T, Rank, Layout, Memory>& x) {
  return argmin(default_instance<default_space>(), x);
}

/// Largest element of a view and its first position: {value, index}. Parameters, errors, agreement
/// and cost are those of argmin; the model is numpy.argmax.
template <execution_space Space, class T, int Rank, class Layout, class Memory>
auto argmax(const Space& space, const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(space, x, maxloc<std::remove_const_t<T>>{});
}

/// Calls argmax(space, x) on the default space.
template <class T, int Rank, class Layout, class Memory>
auto argmax(const view<T, Rank, Layout, Memory>& x) {
  return argmax(default_instance<default_space>(), x);
}

}  // namespace tandem
