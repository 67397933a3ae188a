// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/core/view/subview.hpp>

#include <utility>

namespace tandem {

namespace detail {

/// The part of v whose indices are below both extents.
template <class View, std::size_t... D>
auto common_part(const View& v, const extents<View::rank()>& other, std::index_sequence<D...>) {
  [[maybe_unused]] const auto low = [](index_t a, index_t b) { return a < b ? a : b; };
  return subview(v, slice(low(v.extent(D), other.extent(D)))...);
}

}  // namespace detail

/// Changes the extents of an array. Elements whose indices exist before and after keep their
/// values, the others are uninitialised:
///
///   tandem::array<float, 2> a({3, 4});
///   tandem::resize(a, {5, 4});  // rows 0 to 2 are what they were
///
/// Does nothing if the extents are unchanged; otherwise the elements move, and views of the array
/// become invalid.
///
/// @param a      array of any rank, whose allocations are those of a space of this kind
/// @param sizes  the new extents in elements, 0 or more each
/// Errors        extent_error for a negative extent or too many elements; out_of_memory_error. The
///               array is as it was then
/// Complexity    constant if the extents are unchanged; else allocates a new array, which exists
///               beside the old one until the common elements are copied, each read and written
///               once
/// Waits for the space if elements move, since their old memory is freed.
template <class T, int Rank, class Space, class Layout>
void resize(const Space& space, array<T, Rank, Space, Layout>& a,
            const std::type_identity_t<extents<Rank>>& sizes) {
  if (a.extents() == sizes && (Rank > 0 || a.data_handle() != nullptr)) return;
  array<T, Rank, Space, Layout> larger(sizes, space);
  if (a.size() > 0 && larger.size() > 0 && a.data_handle() != nullptr) {
    const auto dimensions = std::make_index_sequence<static_cast<std::size_t>(Rank)>{};
    copy(space, detail::common_part(a.const_view(), sizes, dimensions),
         detail::common_part(larger.view(), a.extents(), dimensions));
    space.fence();
  }
  a = std::move(larger);
}

/// Calls resize(space, a, sizes) on the default instance of the array's space.
template <class T, int Rank, class Space, class Layout>
void resize(array<T, Rank, Space, Layout>& a, const std::type_identity_t<extents<Rank>>& sizes) {
  resize(default_instance<Space>(), a, sizes);
}

}  // namespace tandem
