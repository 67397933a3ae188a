// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view/viewable.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tandem {

/// Keeps a dimension whole in subview(). Files that nvcc compiles write tandem::all even after
/// `using namespace tandem`: CUDA declares a function ::all, the vote of a warp before CUDA 9.
struct all_t {};
inline constexpr all_t all{};

/// Indices begin .. end - 1 of a dimension, every `step`-th of them, in subview(); none if
/// end == begin. A negative step starts at end - 1, so that slice{0, n, -1} is all of them, last
/// first. subview() refuses a slice that ends before it begins, which Python takes to be empty.
/// slice{n} means 0 to n - 1, like Python's slice(n).
struct slice {
  index_t begin = 0;
  index_t end = 0;
  index_t step = 1;

  constexpr slice() = default;
  constexpr explicit slice(index_t count) : end(count) {}
  constexpr slice(index_t first, index_t last, index_t every = 1)
      : begin(first), end(last), step(every) {}

  /// Number of indices; it wraps if there are 2^63 or more, which subview() refuses.
  constexpr index_t size() const {
    if (end <= begin) return 0;
    const auto last = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) - 1;
    const auto every = static_cast<std::uint64_t>(step);
    return static_cast<index_t>(last / (step < 0 ? 0 - every : every) + 1);
  }
};

namespace detail {

template <class Selector>
inline constexpr int kept_dimensions = std::is_integral_v<Selector> ? 0 : 1;

inline slice as_slice(all_t, index_t extent) { return {0, extent, 1}; }
inline slice as_slice(const slice& s, index_t extent) {
  if (s.step == 0) throw argument_error("subview: a step of 0");
  if (s.end < s.begin) {
    const char* const hint = s.step < 0 ? "; a step of -1 visits end - 1 first and begin last" : "";
    throw extent_error(message({"subview: end (", s.end, ") < begin (", s.begin, ")", hint}));
  }
  const bool any = s.end > s.begin;
  if (any && s.begin < 0) fail_extents("subview", "begin", s.begin, "<", "first index", 0);
  if (any && s.end > extent) fail_extents("subview", "end", s.end, ">", "extent", extent);
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
      strides[kept++] = s.size() > 1 ? stride * s.step : stride;  // a step of any size fits
    }
  }
};

[[noreturn]] inline void fail_reshape(int dimension, index_t stride, index_t packed) {
  throw argument_error(
      message({"reshape: the elements are not contiguous in row-major order: stride ", stride,
               " of dimension ", dimension, " is not ", packed, "; copy them first"}));
}

/// Finds the extent that is -1, if there is one. Throws unless the extents have `count` elements.
template <int Rank>
void find_extent(extents<Rank>& sizes, index_t count) {
  int unknown = -1;
  index_t known = 1;
  for (int d = 0; d < Rank; ++d) {
    if (sizes[d] == -1 && unknown < 0) {
      unknown = d;
    } else if (sizes[d] < 0 || __builtin_mul_overflow(known, sizes[d], &known)) {
      fail_extents("reshape", "extent", sizes[d], "does not fit", "elements", count);
    }
  }
  if (unknown >= 0 && known > 0 && count % known == 0) {
    sizes[unknown] = count / known;
  } else if (unknown >= 0 || known != count) {
    fail_extents("reshape", "elements of the new extents", known,
                 unknown >= 0 ? "do not divide" : "!=", "elements", count);
  }
}

}  // namespace detail

/// Part of a view: for each dimension an index (the dimension is dropped), a slice, or tandem::all.
///
/// subview(v, 3, all) is row 3 of a matrix; subview(v, slice{0, 8, 2}, all) its rows 0, 2, 4, 6.
///
/// @param x         view, array or container; a temporary array is refused
/// @param selector  one for each dimension
/// Returns          a view of the same elements with layout_stride; nothing is copied
/// Errors           extent_error if a selector exceeds the extent, or if a slice's end is before
///                  its begin; argument_error for a step of 0
/// Complexity       constant; no element is accessed
template <viewable X, class... Selector>
auto subview(X&& x, const Selector&... selector) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  static_assert(sizeof...(Selector) == View::rank(),
                "tandem: subview: one selector for each dimension: an index, a slice or all");
  constexpr int kept = (0 + ... + detail::kept_dimensions<Selector>);
  detail::subview_builder<kept> builder;
  int d = 0;
  ((builder.take(selector, v.extent(d), v.stride(d)), ++d), ...);
  using mapping = typename layout_stride::mapping<kept>;
  const auto data = v.empty() ? v.data_handle() : v.data_handle() + builder.offset;
  return view<typename View::element_type, kept, layout_stride, typename View::memory_type>(
      data, mapping(builder.sizes, builder.strides));
}

/// Reverses the order of the dimensions without a copy, or gives the order in which x's dimensions
/// follow each other, as numpy.transpose does:
///
///   auto columns = tandem::transposed(matrix);
///   auto pixels = tandem::transposed(planes, 1, 2, 0);  // pixels(y, x, color)
///
/// @param x     view, array or container of any rank; a temporary array is refused
/// @param axis  dimensions of x, each of them once: dimension d of the result is x's dimension
///              axis[d]; without them the last one comes first
/// Errors       argument_error if a dimension is missing
/// Complexity   constant; no element is accessed
template <viewable X, std::integral... Axis>
auto transposed(X&& x, Axis... axis) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  constexpr int rank = View::rank();
  static_assert(sizeof...(Axis) == 0 || sizeof...(Axis) == rank,
                "tandem: transposed: one axis for each dimension of x, or none");
  extents<rank> axes;
  for (int d = 0; d < rank; ++d) axes[d] = rank - 1 - d;
  int given = 0;
  ((axes[given++] = static_cast<index_t>(axis)), ...);
  extents<rank> sizes;
  extents<rank> strides;
  unsigned seen = 0;
  for (int d = 0; d < rank; ++d) {
    const bool exists = axes[d] >= 0 && axes[d] < rank;
    detail::require(exists && (seen >> axes[d]) % 2 == 0, "transposed",
                    "axes are 0 to the rank - 1, each of them once");
    seen |= 1u << axes[d];
    sizes[d] = v.extent(static_cast<int>(axes[d]));
    strides[d] = v.stride(static_cast<int>(axes[d]));
  }
  return view<typename View::element_type, rank, layout_stride, typename View::memory_type>(
      v.data_handle(), typename layout_stride::mapping<rank>(sizes, strides));
}

/// Views the elements as layout_right_padded, whose type says that the last dimension is
/// contiguous. For windows of row-major matrices that a loop updates in place: a GPU can then use
/// wide accesses.
///
/// @param x    view, array or container of rank 1 or more
/// Errors      extent_error if elements of the last dimension are not adjacent, or if x has more
///             than one distance between rows
/// Complexity  constant; no element is accessed
template <viewable X>
auto as_pitched(X&& x) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  constexpr int rank = View::rank();
  static_assert(rank >= 2, "tandem: as_pitched: rows need two dimensions or more");
  const typename layout_right_padded::mapping<rank> pitched(v.extents(), v.stride(rank - 2));
  for (int d = 0; d < rank; ++d) {
    if (v.extent(d) > 1 && v.stride(d) != pitched.stride(d))
      detail::fail_extents("as_pitched", "stride", v.stride(d), "!=", "stride of packed rows",
                           pitched.stride(d));
  }
  return view<typename View::element_type, rank, layout_right_padded, typename View::memory_type>(
      v.data_handle(), pitched);
}

/// Views the same elements, in row-major order, with other extents:
///
///   auto matrix = tandem::reshape(line, 3, 4);   // of 12 elements
///   auto rows = tandem::reshape(matrix, -1, 2);  // 6 x 2: one extent may be left to be found
///
/// @param x     view, array or container of any rank; a temporary array is refused
/// @param size  the new extents, whose product is x.size(); one of them may be -1
/// Errors       argument_error if the elements are not contiguous in row-major order, as in a
///              transpose or a window (copy them first); extent_error if the number of elements
///              differs, or if an extent is negative and cannot be deduced
/// Complexity   constant; no element is accessed
template <viewable X, std::integral... Index>
auto reshape(X&& x, Index... size) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  constexpr int rank = static_cast<int>(sizeof...(Index));
  index_t step = 1;
  for (int d = View::rank() - 1; d >= 0; --d) {
    if (v.extent(d) > 1 && v.size() > 0 && v.stride(d) != step)
      detail::fail_reshape(d, v.stride(d), step);
    step *= v.extent(d);
  }
  extents<rank> sizes;
  int d = 0;
  ((sizes[d++] = static_cast<index_t>(size)), ...);
  detail::find_extent(sizes, v.size());
  return view<typename View::element_type, rank, layout_right, typename View::memory_type>(
      v.data_handle(), sizes);
}

}  // namespace tandem
