// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/select.hpp>

#include <type_traits>

namespace tandem {

/// Copies the elements of x for which predicate(element) is true to the front of `out`, in their
/// order, and returns how many there are.
///
///   const auto count = tandem::copy_if(space, x, out, TANDEM_LAMBDA(float v) { return v > 0; });
///
/// x          rank-1 view, any stride, of trivially copyable elements
/// out        rank-1 view of the same element type, any stride; where it is shorter than the
///            result, it takes the first of the kept elements and the returned count, larger than
///            its extent, tells. Elements behind the last kept one are unchanged
/// predicate  function object element -> bool without side effects; a backend may call it twice
/// Errors     argument_error when x and out overlap, have no memory, or memory that the space
///            cannot touch
/// Agreement  the same elements and count on every backend
/// Blocks until the count is there; out is written in the space's order. Reads x once.
template <execution_space Space, class T, class U, class LayoutX, class LayoutOut, class MemoryX,
          class MemoryOut, class Predicate>
index_t copy_if(const Space& space, const view<T, 1, LayoutX, MemoryX>& x,
                const view<U, 1, LayoutOut, MemoryOut>& out, const Predicate& predicate) {
  return detail::run_select(
      space, "copy_if",
      detail::describe_selection(space, "copy_if", x, out, keep_where<Predicate>{predicate}));
}

/// Calls copy_if(space, x, out, predicate) on the default space and waits until it is complete.
template <class T, class U, class LayoutX, class LayoutOut, class MemoryX, class MemoryOut,
          class Predicate>
index_t copy_if(const view<T, 1, LayoutX, MemoryX>& x, const view<U, 1, LayoutOut, MemoryOut>& out,
                const Predicate& predicate) {
  const auto& space = default_instance<default_space>();
  const index_t count = copy_if(space, x, out, predicate);
  space.fence();
  return count;
}

/// Keeps the elements as copy_if does and leaves their count in `count`, a rank-0 view of index_t
/// in memory of the space. Does not block.
template <execution_space Space, class T, class U, class LayoutX, class LayoutOut, class MemoryX,
          class MemoryOut, class Predicate, class Layout, class Memory>
void copy_if_into(const Space& space, const view<T, 1, LayoutX, MemoryX>& x,
                  const view<U, 1, LayoutOut, MemoryOut>& out, const Predicate& predicate,
                  const view<index_t, 0, Layout, Memory>& count) {
  detail::run_select_into(
      space, "copy_if_into",
      detail::describe_selection(space, "copy_if_into", x, out, keep_where<Predicate>{predicate}),
      count);
}

}  // namespace tandem
