// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/sort.hpp>
#include <tandem/algorithms/generic/sort.hpp>

namespace tandem {

/// Sorts keys in place, smallest first or, with sort_order::descending, last.
///
/// @param keys  contiguous rank-1 view of float, double or integers of 8 to 64 bits
/// Order        that of <. Stable: equal keys, -0 and +0 among them, stay in the order in which
///              they stood, in a descending sort too. NaNs of either sign come behind infinity (in
///              a descending sort: first), among themselves by their bits
///              (core/contract/sort_key.hpp)
/// Errors       argument_error when keys are not contiguous, have no memory, or memory that the
///              space cannot touch; out_of_memory_error: a sort takes memory for its time, once
///              or twice that of its operands; extent_error for 2^32 keys or more on tandem::cuda
/// Agreement    the same bits on every backend
/// Asynchronous on `space`.
template <execution_space Space, class T, class Layout, class Memory>
void sort(const Space& space, const view<T, 1, Layout, Memory>& keys,
          sort_order order = sort_order::ascending) {
  detail::sort_keys(space, keys, keys, order);
}

/// Sorts the elements of x into `out`, which has the same extent and leaves x as it is; out may be
/// x itself, but must not overlap it otherwise.
/// Errors: extent_error when the extents differ.
template <execution_space Space, class T, class U, class LayoutX, class LayoutOut, class MemoryX,
          class MemoryOut>
void sort(const Space& space, const view<T, 1, LayoutX, MemoryX>& x,
          const view<U, 1, LayoutOut, MemoryOut>& out, sort_order order = sort_order::ascending) {
  detail::sort_keys(space, x, out, order);
}

/// Calls sort(space, ...) on the default space and waits until it is complete.
template <class T, class Layout, class Memory>
void sort(const view<T, 1, Layout, Memory>& keys, sort_order order = sort_order::ascending) {
  const auto& space = default_instance<default_space>();
  sort(space, keys, order);
  space.fence();
}
template <class T, class U, class LayoutX, class LayoutOut, class MemoryX, class MemoryOut>
void sort(const view<T, 1, LayoutX, MemoryX>& x, const view<U, 1, LayoutOut, MemoryOut>& out,
          sort_order order = sort_order::ascending) {
  const auto& space = default_instance<default_space>();
  sort(space, x, out, order);
  space.fence();
}

/// Sorts keys in place, as sort() does, and values along with them.
///
/// @param values  contiguous rank-1 view of as many trivially copyable elements of any size;
///                values of equal keys stay in the order in which they stood
/// Errors         those of sort(); extent_error when the extents differ; argument_error when
///                values overlap keys
/// Agreement      the same bits on every backend
/// Asynchronous on `space`.
template <execution_space Space, class T, class V, class LayoutKeys, class LayoutValues,
          class MemoryKeys, class MemoryValues>
void sort_by_key(const Space& space, const view<T, 1, LayoutKeys, MemoryKeys>& keys,
                 const view<V, 1, LayoutValues, MemoryValues>& values,
                 sort_order order = sort_order::ascending) {
  detail::sort_pairs(space, keys, values, keys, values, order);
}

/// Sorts keys with their values into keys_out and values_out; each output may be its input, but
/// must not overlap anything otherwise.
template <execution_space Space, detail::line_view Keys, detail::line_view Values,
          detail::line_view KeysOut, detail::line_view ValuesOut>
void sort_by_key(const Space& space, const Keys& keys, const Values& values,
                 const KeysOut& keys_out, const ValuesOut& values_out,
                 sort_order order = sort_order::ascending) {
  detail::sort_pairs(space, keys, values, keys_out, values_out, order);
}

/// Calls sort_by_key(space, ...) on the default space and waits until it is complete.
template <class T, class V, class LayoutKeys, class LayoutValues, class MemoryKeys,
          class MemoryValues>
void sort_by_key(const view<T, 1, LayoutKeys, MemoryKeys>& keys,
                 const view<V, 1, LayoutValues, MemoryValues>& values,
                 sort_order order = sort_order::ascending) {
  const auto& space = default_instance<default_space>();
  sort_by_key(space, keys, values, order);
  space.fence();
}
template <detail::line_view Keys, detail::line_view Values, detail::line_view KeysOut,
          detail::line_view ValuesOut>
void sort_by_key(const Keys& keys, const Values& values, const KeysOut& keys_out,
                 const ValuesOut& values_out, sort_order order = sort_order::ascending) {
  const auto& space = default_instance<default_space>();
  sort_by_key(space, keys, values, keys_out, values_out, order);
  space.fence();
}

}  // namespace tandem
