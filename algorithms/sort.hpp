// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/sort.hpp>
#include <tandem/algorithms/generic/sort.hpp>

#include <utility>

namespace tandem {

/// Sorts keys in place, smallest first or, with sort_order::descending, last.
///
/// @param keys   contiguous rank-1 operand (a view, array or container) of float, double or
///               integers of 8 to 64 bits
/// @param order  sort_order::ascending, the default, or sort_order::descending
/// Order         that of <. Stable: equal keys, -0 and +0 among them, keep their order, in a
///               descending sort too. NaNs of either sign come behind infinity (in a descending
///               sort: first), among themselves by their bits
///               (core/contract/sort_key.hpp)
/// Errors        argument_error when keys are not contiguous, have no memory, or memory that the
///               space cannot access; out_of_memory_error for scratch, before it writes;
///               extent_error for 2^32 keys or more on tandem::cuda
/// Agreement     the same bits on every backend
/// Complexity    cuda: a pass that reads keys and one per 8 bits of a key that reads and writes
///               them; openmp: buckets in a few passes, sorted in caches; serial: ceil(log2 n)
///               passes of merges. Scratch: about as much as keys at most, and on openmp room for a
///               bucket per thread
/// Asynchronous on `space`.
template <execution_space Space, viewable Keys>
void sort(const Space& space, Keys&& keys, sort_order order = sort_order::ascending) {
  const auto line = as_view(std::forward<Keys>(keys));
  detail::sort_keys(space, line, line, order);
}

/// Sorts the elements of x into `out` and leaves x unchanged.
///
/// @param x      contiguous rank-1 operand of what sort() in place takes
/// @param out    contiguous rank-1 operand of x's type and extent; may be x itself, but must not
///               overlap it otherwise
/// @param order  sort_order::ascending or sort_order::descending
/// Errors        those of sort() in place; extent_error when the extents differ
/// Complexity    as for sort() in place
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Out>
void sort(const Space& space, X&& x, Out&& out, sort_order order = sort_order::ascending) {
  detail::sort_keys(space, as_view(std::forward<X>(x)), as_view(std::forward<Out>(out)), order);
}

/// Calls sort(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { sort(detail::here(), std::forward<Argument>(a)...); }
auto sort(Argument&&... arguments) {
  return detail::complete(
      [&] { return sort(detail::here(), std::forward<Argument>(arguments)...); });
}

/// Sorts keys in place, as sort() does, and values along with them.
///
/// @param keys    as for sort()
/// @param values  contiguous rank-1 view of as many trivially copyable elements of any size;
///                values of equal keys keep their order
/// Errors         those of sort(); extent_error when the extents differ; argument_error when
///                values overlap keys
/// Agreement      the same bits on every backend
/// Complexity     as for sort(), with values in each pass and in scratch; values of other sizes
///                than 4 bytes (and 8 on openmp) are moved at the end by sorted positions of 4
///                bytes, which are the values of the passes, and in place are copied before
/// Asynchronous on `space`.
template <execution_space Space, viewable Keys, viewable Values>
void sort_by_key(const Space& space, Keys&& keys, Values&& values,
                 sort_order order = sort_order::ascending) {
  const auto keys_line = as_view(std::forward<Keys>(keys));
  const auto values_line = as_view(std::forward<Values>(values));
  detail::sort_pairs(space, keys_line, values_line, keys_line, values_line, order);
}

/// Sorts keys with their values into keys_out and values_out, and leaves the inputs as they are.
///
/// @param keys, values          as for sort_by_key() in place
/// @param keys_out, values_out  contiguous rank-1 operands of the inputs' types and extent; each
///                              may be its input, but must not overlap anything otherwise
/// @param order                 sort_order::ascending or sort_order::descending
/// Errors                       those of sort_by_key() in place
/// Complexity                   as for sort_by_key() in place
/// Asynchronous on `space`.
template <execution_space Space, viewable Keys, viewable Values, viewable KeysOut,
          viewable ValuesOut>
void sort_by_key(const Space& space, Keys&& keys, Values&& values, KeysOut&& keys_out,
                 ValuesOut&& values_out, sort_order order = sort_order::ascending) {
  detail::sort_pairs(space, as_view(std::forward<Keys>(keys)),
                     as_view(std::forward<Values>(values)),
                     as_view(std::forward<KeysOut>(keys_out)),
                     as_view(std::forward<ValuesOut>(values_out)), order);
}

/// Calls sort_by_key(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { sort_by_key(detail::here(), std::forward<Argument>(a)...); }
auto sort_by_key(Argument&&... arguments) {
  return detail::complete(
      [&] { return sort_by_key(detail::here(), std::forward<Argument>(arguments)...); });
}

}  // namespace tandem
