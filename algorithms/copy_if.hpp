// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/select.hpp>

#include <utility>

namespace tandem {

/// Copies the elements of x for which predicate(element) is true to the front of `out`, in their
/// order, and returns how many there are.
///
///   const auto count = tandem::copy_if(space, x, out, TANDEM_LAMBDA(float v) { return v > 0; });
///
/// x           rank-1 operand, any stride, of trivially copyable elements
/// out         rank-1 operand of the same element type, any stride; if it is shorter than the
///             result, it holds the first of the kept elements, and the returned count exceeds its
///             extent. Elements behind the last kept one are unchanged
/// predicate   function object element -> bool without side effects; a backend may call it up to
///             three times per element
/// Errors      argument_error when x and out overlap, have no memory, or memory that the space
///             cannot access; out_of_memory_error. out is unchanged then
/// Agreement   the same elements and count on every backend
/// Complexity  reads x once (serial: three times) and writes what it keeps once. Scratch: 8 bytes
///             per tile on a GPU, 64 KiB per thread of openmp, an index per element on serial
/// Blocks until the count is available; out is written in stream order.
template <execution_space Space, viewable X, viewable Out, class Predicate>
index_t copy_if(const Space& space, X&& x, Out&& out, const Predicate& predicate) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    return detail::select_elements(space, "copy_if", as_view(std::forward<X>(x)),
                                   as_view(std::forward<Out>(out)),
                                   keep_where<Predicate>{predicate});
  }
  return 0;  // of what does not compile
}

/// Writes the indices for which predicate(index) is true to the front of `out`, in ascending order,
/// and returns how many there are: a list of indices in one pass.
///
///   const auto count = tandem::copy_if(
///       space, n, TANDEM_LAMBDA(int i) { return flags(i) != 0; }, list);
///
/// @param indices    n for 0 .. n - 1, or range{begin, end}
/// @param predicate  function object index -> bool without side effects, called with its own type
///                   of index; it may read memory, but no element of out
/// @param out        rank-1 operand of integers that hold every index, any stride; if it is shorter
///                   than the result, it holds the first indices, and the returned count exceeds
///                   its extent. Elements behind the last index are unchanged
/// @param arguments  follow the index in each call of the predicate, as for parallel_for
/// Errors            extent_error when an index does not fit the predicate's parameter or an
///                   element of out, for a negative n and for a range that ends before it begins;
///                   argument_error when out has no memory, or memory that the space cannot access;
///                   out_of_memory_error. out is unchanged then
/// Agreement         the same indices and count on every backend
/// Complexity        calls the predicate once per index (serial: three times). Scratch as for
///                   elements
/// Blocks until the count is available; out is written in stream order.
template <execution_space Space, detail::line_space Indices, class Predicate, viewable Out,
          class... Argument>
index_t copy_if(const Space& space, const Indices& indices, const Predicate& predicate, Out&& out,
                Argument&&... arguments) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    return detail::select_indices(
        space, "copy_if", indices,
        detail::bind_to_terms<Space, 1>(predicate, std::forward<Argument>(arguments)...),
        as_view(std::forward<Out>(out)));
  }
  return 0;  // of what does not compile
}

/// Calls copy_if(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { copy_if(detail::here(), std::forward<Argument>(a)...); }
auto copy_if(Argument&&... arguments) {
  return detail::complete(
      [&] { return copy_if(detail::here(), std::forward<Argument>(arguments)...); });
}

/// Keeps the elements as copy_if does and leaves their count in memory of the space.
///
/// @param x, out, predicate  as for copy_if
/// @param count              rank-0 operand of index_t in memory of the space; overwritten
/// Errors                    those of copy_if; argument_error when count overlaps x or out, has no
///                           memory, or memory that the space cannot access. out and count are
///                           unchanged then
/// Complexity                as for copy_if
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Out, class Predicate, viewable Count>
void copy_if_into(const Space& space, X&& x, Out&& out, const Predicate& predicate, Count&& count) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    detail::select_elements(space, "copy_if_into", as_view(std::forward<X>(x)),
                            as_view(std::forward<Out>(out)), keep_where<Predicate>{predicate},
                            as_view(std::forward<Count>(count)));
  }
}

/// Writes indices as copy_if does and leaves their count in memory of the space.
///
/// @param indices, predicate, out, arguments  as for copy_if
/// @param count   rank-0 operand of index_t in memory of the space; overwritten
/// Errors         those of copy_if over indices; argument_error when count overlaps out, has no
///                memory, or memory that the space cannot access. out and count are unchanged then
/// Complexity     as for copy_if
/// Asynchronous on `space`.
template <execution_space Space, detail::line_space Indices, class Predicate, viewable Out,
          viewable Count, class... Argument>
void copy_if_into(const Space& space, const Indices& indices, const Predicate& predicate, Out&& out,
                  Count&& count, Argument&&... arguments) {
  if constexpr (detail::check_kernel<Predicate, Space>()) {
    detail::select_indices(
        space, "copy_if_into", indices,
        detail::bind_to_terms<Space, 1>(predicate, std::forward<Argument>(arguments)...),
        as_view(std::forward<Out>(out)), as_view(std::forward<Count>(count)));
  }
}

}  // namespace tandem
