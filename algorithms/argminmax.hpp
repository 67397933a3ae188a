// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_reduce.hpp>

#include <utility>

namespace tandem {

/// Smallest element of a view and its first position: {value, index}.
///
/// x           operand of any rank and layout; the position is counted row-major, from 0
/// Returns     of several equal elements the first one, of NaNs the first, before every number, as
///             numpy.argmin has it; of no elements the index -1
/// Errors      argument_error when x has no memory, or memory that the space cannot access
/// Agreement   the same on every backend
/// Complexity  n comparisons; reads x from memory once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X>
auto argmin(const Space& space, X&& x) {
  return detail::reduce_view(space, "argmin", as_view(std::forward<X>(x)), minloc<element_of<X>>{});
}

/// Largest element of a view and its first position: {value, index}.
///
/// x           operand of any rank and layout; the position is counted row-major, from 0
/// Returns     of several equal elements the first one, of NaNs the first, before every number, as
///             numpy.argmax has it; of no elements the index -1
/// Errors      argument_error when x has no memory, or memory that the space cannot access
/// Agreement   the same on every backend
/// Complexity  n comparisons; reads x from memory once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X>
auto argmax(const Space& space, X&& x) {
  return detail::reduce_view(space, "argmax", as_view(std::forward<X>(x)), maxloc<element_of<X>>{});
}

/// Calls argmin(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { argmin(detail::here(), std::forward<Argument>(a)...); }
auto argmin(Argument&&... arguments) {
  return argmin(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls argmax(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { argmax(detail::here(), std::forward<Argument>(a)...); }
auto argmax(Argument&&... arguments) {
  return argmax(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
