// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/select.hpp>

#include <utility>

namespace tandem {

/// Copies the first element of every run of equal elements of x to the front of `out`, and returns
/// the number of runs. For a sorted x these are its distinct elements, as in std::unique_copy.
///
/// x           rank-1 operand, any stride, of trivially copyable elements with ==; so each NaN
///             forms a separate run, and -0 belongs to the run of +0
/// out         rank-1 operand of the same element type, any stride; if it is shorter than the
///             result, it holds the first runs, and the returned count exceeds its extent. Elements
///             behind the last run are unchanged
/// Errors      argument_error when x and out overlap, have no memory, or memory that the space
///             cannot access; out_of_memory_error. out is unchanged then
/// Agreement   the same elements and count on every backend
/// Complexity  reads x once (serial: three times) and writes what it keeps once. Scratch: 8 bytes
///             per tile on a GPU, 64 KiB per thread of openmp, an index per element on serial
/// Blocks until the count is available; out is written in stream order.
template <execution_space Space, viewable X, viewable Out>
index_t unique(const Space& space, X&& x, Out&& out) {
  return detail::select_elements(space, "unique", as_view(std::forward<X>(x)),
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
/// Errors         those of unique; argument_error when count overlaps x or out, has no memory, or
///                memory that the space cannot access. out and count are unchanged then
/// Complexity     as for unique
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Out, viewable Count>
void unique_into(const Space& space, X&& x, Out&& out, Count&& count) {
  detail::select_elements(space, "unique_into", as_view(std::forward<X>(x)),
                          as_view(std::forward<Out>(out)), keep_changes{},
                          as_view(std::forward<Count>(count)));
}

}  // namespace tandem
