// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view.hpp>

#include <type_traits>

namespace tandem {

/// Keeps a dimension whole in subview().
struct all_t {};
inline constexpr all_t all{};

/// Indices begin .. end - 1 of a dimension, every `step`-th of them, in subview(). A negative step
/// starts at end - 1.
struct slice {
  index_t begin = 0;
  index_t end = 0;
  index_t step = 1;

  constexpr index_t size() const {
    const index_t span = end > begin ? end - begin : 0;
    const index_t width = step < 0 ? -step : step;
    return (span + width - 1) / width;
  }
};

namespace detail {

template <class Selector>
inline constexpr int kept_dimensions = std::is_integral_v<Selector> ? 0 : 1;

inline slice as_slice(all_t, index_t extent) { return {0, extent, 1}; }
inline slice as_slice(const slice& s, index_t extent) {
  if (s.step == 0) throw argument_error("subview: a step of 0");
  if (s.size() > 0 && s.begin < 0) fail_extents("subview", "begin", s.begin, "<", "first index", 0);
  if (s.size() > 0 && s.end > extent) fail_extents("subview", "end", s.end, ">", "extent", extent);
  return s;
}

/// Collects offset, extents and strides of a subview, one selector after the other.
template <int Rank>
struct subview_builder {
  index_t offset = 0;
  int kept = 0;
  tandem::extents<Rank> sizes;
  tandem::extents<Rank> strides;

  template <class Selector>
  void take(const Selector& selector, index_t extent, index_t stride) {
    if constexpr (std::is_integral_v<Selector>) {
      const auto index = static_cast<index_t>(selector);
      if (index < 0 || index >= extent)
        fail_extents("subview", "index", index, "outside", "extent", extent);
      offset += index * stride;
    } else {
      const slice s = as_slice(selector, extent);
      const index_t first = s.step < 0 ? s.end - 1 : s.begin;
      if (s.size() > 0) offset += first * stride;
      sizes[kept] = s.size();
      strides[kept++] = stride * s.step;
    }
  }
};

}  // namespace detail

/// Part of a view: for each dimension an index (the dimension is dropped), a slice, or tandem::all.
///
/// subview(v, 3, all) is row 3 of a matrix; subview(v, slice{0, 8, 2}, all) its rows 0, 2, 4, 6.
/// The result has layout_stride. Errors: extent_error where a selector leaves the extent,
/// argument_error for a step of 0.
template <class T, int Rank, class Layout, class Memory, class... Selector>
  requires(sizeof...(Selector) == Rank)
auto subview(const view<T, Rank, Layout, Memory>& v, const Selector&... selector) {
  constexpr int kept = (0 + ... + detail::kept_dimensions<Selector>);
  detail::subview_builder<kept> builder;
  int d = 0;
  ((builder.take(selector, v.extent(d), v.stride(d)), ++d), ...);
  using mapping = typename layout_stride::mapping<kept>;
  T* data = v.empty() ? v.data_handle() : v.data_handle() + builder.offset;
  return view<T, kept, layout_stride, Memory>(data, mapping(builder.sizes, builder.strides));
}

/// Reverses the order of the dimensions without a copy: the transpose of a matrix.
template <class T, int Rank, class Layout, class Memory>
auto transposed(const view<T, Rank, Layout, Memory>& v) {
  extents<Rank> sizes;
  extents<Rank> strides;
  for (int d = 0; d < Rank; ++d) {
    sizes[d] = v.extent(Rank - 1 - d);
    strides[d] = v.stride(Rank - 1 - d);
  }
  return view<T, Rank, layout_stride, Memory>(
      v.data_handle(), typename layout_stride::mapping<Rank>(sizes, strides));
}

/// Views the elements as layout_right_padded, whose type says that the last dimension is
/// contiguous: for windows of row-major matrices that a loop updates in place, which lets a GPU use
/// wide accesses.
///
/// Errors: extent_error where elements of the last dimension are not neighbours, or where v has
/// more than one distance between rows.
template <class T, int Rank, class Layout, class Memory>
  requires(Rank >= 2)
auto as_pitched(const view<T, Rank, Layout, Memory>& v) {
  const typename layout_right_padded::mapping<Rank> pitched(v.extents(), v.stride(Rank - 2));
  for (int d = 0; d < Rank; ++d) {
    if (v.extent(d) > 1 && v.stride(d) != pitched.stride(d))
      detail::fail_extents("as_pitched", "stride", v.stride(d), "!=", "stride of packed rows",
                           pitched.stride(d));
  }
  return view<T, Rank, layout_right_padded, Memory>(v.data_handle(), pitched);
}

}  // namespace tandem
