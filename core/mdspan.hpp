// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view.hpp>

/// Conversion to and from std::mdspan, where the standard library has it (C++23). Elsewhere this
/// header is empty.
#if __has_include(<mdspan>)
#include <mdspan>
#endif

#if defined(__cpp_lib_mdspan)

namespace tandem {

/// A view as std::mdspan of the same elements; host-accessible memory only.
template <class T, int Rank, class Layout, class Memory>
  requires Memory::host_accessible
auto to_mdspan(const view<T, Rank, Layout, Memory>& v) {
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

/// A std::mdspan with the default accessor as a view of layout_stride over host memory.
template <class T, class Extents, class Layout>
auto from_mdspan(const std::mdspan<T, Extents, Layout>& m) {
  constexpr int rank = static_cast<int>(Extents::rank());
  extents<rank> sizes;
  extents<rank> strides;
  for (int d = 0; d < rank; ++d) {
    sizes[d] = static_cast<index_t>(m.extent(static_cast<std::size_t>(d)));
    strides[d] = static_cast<index_t>(m.stride(static_cast<std::size_t>(d)));
  }
  return view<T, rank, layout_stride, host_memory>(m.data_handle(),
                                                   layout_stride::mapping<rank>(sizes, strides));
}

}  // namespace tandem

#endif
