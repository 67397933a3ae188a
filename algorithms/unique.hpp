// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/select.hpp>

#include <utility>

namespace tandem {

/// Copies the first element of every run of equal elements of x to the front of `out`, and returns
/// how many runs there are. Of a sorted x: its distinct elements, as std::unique_copy gives them.
///
/// x           rank-1 operand, any stride, of trivially copyable elements with ==; so a NaN is a
///             run of its own, and -0 belongs to the run of +0
/// out         rank-1 operand of the same element type, any stride; where it is shorter than the
///             result, it takes the first runs and the returned count, larger than its extent,
///             tells. Elements behind the last run are unchanged
/// Errors      argument_error when x and out overlap, have no memory, or memory that the space
///             cannot touch; out_of_memory_error. out is unchanged then
/// Agreement   the same elements and count on every backend
/// Complexity  reads x once (serial: three times) and writes what it keeps once. Scratch: 8 bytes
///             per tile on a GPU, 64 KiB per thread of openmp, an index per element on serial
/// Blocks until the count is there; out is written in the space's order.
template <execution_space Space, viewable X, viewable Out>
index_t unique(const Space& space, X&& x, Out&& out) {
  return detail::run_select(space, "unique", as_view(std::forward<X>(x)),
                            as_view(std::forward<Out>(out)), keep_changes{});
}

/// Calls unique(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { unique(detail::here(), std::forward<Argument>(a)...); }
auto unique(Argument&&... arguments) {
  return detail::complete(
      [&] { return unique(detail::here(), std::forward<Argument>(arguments)...); });
}

/// Keeps the elements as unique does and leaves their count in memory of the space.
///
/// @param x, out  as for unique
/// @param count   rank-0 operand of index_t in memory of the space; overwritten
/// Errors         those of unique; argument_error when count has no memory, or memory that the
///                space cannot touch
/// Complexity     as for unique
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Out, viewable Count>
void unique_into(const Space& space, X&& x, Out&& out, Count&& count) {
  detail::run_select_into(space, "unique_into", as_view(std::forward<X>(x)),
                          as_view(std::forward<Out>(out)), keep_changes{},
                          as_view(std::forward<Count>(count)));
}

}  // namespace tandem
