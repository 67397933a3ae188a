// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>  // std::data, std::size, enable_borrowed_range: without <iterator>, <ranges>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// An owner whose member view() returns a view of its elements, like tandem::array.
template <class X>
concept owner_of_elements = requires(X& x) { requires is_view<decltype(x.view())>; };

/// The interface of any library's std::mdspan with an accessor that reads elements directly.
template <class X>
concept mdspan_like = requires(const X& x) {
  { X::rank() } -> std::convertible_to<std::size_t>;
  { x.data_handle() } -> std::convertible_to<typename X::element_type*>;
  requires std::same_as<typename X::reference, typename X::element_type&>;
  { x.extent(0) } -> std::convertible_to<index_t>;
  { x.stride(0) } -> std::convertible_to<index_t>;
};

/// A contiguous container of the standard library, for example std::vector, std::array or
/// std::span, or a built-in array.
template <class X>
concept contiguous_container = requires(X& x) {
  *std::data(x);
  { std::size(x) } -> std::convertible_to<std::size_t>;
};

template <class X>
concept has_one_array = is_view<std::remove_cv_t<X>> || owner_of_elements<X> || mdspan_like<X> ||
                        contiguous_container<X>;

/// What looks like a container and is refused in one line: std::vector<bool>, std::list.
template <class X>
concept scattered_container = requires(X& x) {
  typename X::value_type;
  x.begin();
  x.end();
};

/// An array whose elements are in the memories of several members of a group, which no view covers.
template <class X>
concept array_in_parts = requires { requires std::remove_cv_t<X>::is_in_parts; };

template <mdspan_like M>
constexpr auto view_of_mdspan(const M& m) {
  constexpr int rank = static_cast<int>(M::rank());
  extents<rank> sizes;
  extents<rank> strides;
  for (int d = 0; d < rank; ++d) {
    sizes[d] = static_cast<index_t>(m.extent(static_cast<std::size_t>(d)));
    strides[d] = static_cast<index_t>(m.stride(static_cast<std::size_t>(d)));
  }
  return view<typename M::element_type, rank, layout_stride, host_memory>(
      m.data_handle(), layout_stride::mapping<rank>(sizes, strides));
}

template <class X>
constexpr auto view_of(X& x) {
  if constexpr (is_view<std::remove_cv_t<X>>) {
    return x;
  } else if constexpr (owner_of_elements<X>) {
    return x.view();
  } else if constexpr (mdspan_like<X>) {
    return view_of_mdspan(x);
  } else if constexpr (contiguous_container<X>) {
    return as_view<host_memory>(std::data(x), std::size(x));
  } else if constexpr (array_in_parts<X>) {
    return typename X::view_type();  // as_view has refused it
  } else {
    return view<typename X::value_type, 1, layout_right, host_memory>();  // as_view has refused it
  }
}

/// Whether the elements of an argument of type X are destroyed at the end of the call's expression.
template <class X>
inline constexpr bool is_temporary_owner =
    !std::is_lvalue_reference_v<X> && !is_view<std::remove_cvref_t<X>> && !mdspan_like<X> &&
    !std::ranges::enable_borrowed_range<std::remove_cvref_t<X>>;

}  // namespace detail

/// Operands of algorithms: a view; an array or another owner with a member view(); a contiguous
/// container of the host (std::vector, std::array, std::span); a std::mdspan. Other containers
/// (std::vector<bool>, std::list) and sharded arrays satisfy this too, so that as_view says in one
/// line why it refuses them.
template <class X>
concept viewable = detail::has_one_array<std::remove_reference_t<X>> ||
                   detail::array_in_parts<std::remove_reference_t<X>> ||
                   detail::scattered_container<std::remove_reference_t<X>>;

/// Returns the view of the elements of an operand: v itself, a.view(), a row-major view of a
/// container's elements in host_memory, or a view of an mdspan's elements with layout_stride.
///
///   std::vector<float> host(100);
///   tandem::parallel_reduce(space, tandem::as_view(host));
///
/// @param x  view, array, contiguous container of the host, or std::mdspan
/// For a const owner it is a view of const elements. A temporary array or container is refused at
/// compile time, because the view would outlive its elements.
template <viewable X>
constexpr auto as_view(X&& x) {
  static_assert(!detail::is_temporary_owner<X>,
                "tandem: a view of a temporary array or container would outlive its elements: name "
                "it first");
  constexpr bool in_parts = detail::array_in_parts<std::remove_reference_t<X>>;
  static_assert(!in_parts,
                "tandem: a sharded array is an operand of operations on its group: pass the group "
                "as the first argument, or a view of x.parts()");
  constexpr bool in_one_array = detail::has_one_array<std::remove_reference_t<X>>;
  static_assert(in_one_array || in_parts,
                "tandem: the elements of an operand are in one array, those of this container are "
                "not (std::vector<bool> packs bits): use std::vector, of char instead of bool");
  return detail::view_of(x);
}

/// Type of the view that as_view returns for an argument declared as X&&.
template <viewable X>
using as_view_t = decltype(detail::view_of(std::declval<std::remove_reference_t<X>&>()));

/// Type of the elements of an operand, without const.
template <viewable X>
using element_of = typename as_view_t<X>::value_type;

}  // namespace tandem
