// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view/viewable.hpp>

#include <type_traits>
#include <utility>

/// Conversion to and from std::mdspan, if the standard library has it (C++23). Otherwise this
/// header is empty.
#if __has_include(<mdspan>)
#include <array>
#include <mdspan>
#endif

#if defined(__cpp_lib_mdspan)

namespace tandem {

/// Returns a view as a std::mdspan of the same elements.
///
/// @param x  operand in memory that the host can access, any rank and layout
template <viewable X>
auto to_mdspan(X&& x) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  using T = typename View::element_type;
  using Layout = typename View::layout_type;
  constexpr int Rank = View::rank();
  static_assert(View::memory_type::host_accessible,
                "tandem: to_mdspan: the host cannot reach the elements: copy them first");
  std::array<index_t, static_cast<std::size_t>(Rank)> sizes{};
  std::array<index_t, static_cast<std::size_t>(Rank)> strides{};
  for (int d = 0; d < Rank; ++d) {
    sizes[static_cast<std::size_t>(d)] = v.extent(d);
    strides[static_cast<std::size_t>(d)] = v.stride(d);
  }
  using sizes_type = std::dextents<index_t, static_cast<std::size_t>(Rank)>;
  if constexpr (std::is_same_v<Layout, layout_right>) {
    return std::mdspan<T, sizes_type, std::layout_right>(v.data_handle(), sizes);
  } else if constexpr (std::is_same_v<Layout, layout_left>) {
    return std::mdspan<T, sizes_type, std::layout_left>(v.data_handle(), sizes);
  } else {
    using mapping = std::layout_stride::mapping<sizes_type>;
    return std::mdspan<T, sizes_type, std::layout_stride>(v.data_handle(),
                                                          mapping(sizes_type(sizes), strides));
  }
}

/// Returns the elements of m, a std::mdspan with the default accessor, as a view of layout_stride
/// over host memory; as_view, and so every algorithm, also takes one.
template <class T, class Extents, class Layout>
auto from_mdspan(const std::mdspan<T, Extents, Layout>& m) {
  return as_view(m);
}

}  // namespace tandem

#endif
