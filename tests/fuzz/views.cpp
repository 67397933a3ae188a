// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views without a space: the positions of elements in layouts, subviews and transposes, and what is
// refused.

#include "fuzz/placed.hpp"

#include <algorithm>

namespace tandem::fuzz {
namespace {

using host_view = view<char, 3, layout_stride, host_memory>;

/// Addresses are compared, never read.
char base[1];

host_view draw_view(draw& d) {
  extents<3> sizes;
  extents<3> strides;
  for (int k = 0; k < 3; ++k) {
    sizes[k] = d.number("extent" + std::to_string(k), 0, 5);
    strides[k] = d.number("stride" + std::to_string(k), 0, 40) - 10;
  }
  return {base, layout_stride::mapping<3>(sizes, strides)};
}

/// Distance of the element at (k, j, i) from the view's first, by the definition of strides.
index_t offset_of(const host_view& v, index_t k, index_t j, index_t i) {
  return k * v.stride(0) + j * v.stride(1) + i * v.stride(2);
}

/// Returns the indices that a selector keeps; none if it is refused.
std::vector<index_t> selected(const slice& s) {
  std::vector<index_t> result;
  if (s.step > 0) {
    for (index_t i = s.begin; i < s.end; i += s.step) result.push_back(i);
  } else {
    for (index_t i = s.end - 1; i >= s.begin; i += s.step) result.push_back(i);
  }
  return result;
}

/// Draws a slice mostly within the extent, with a step from -3 to 3.
slice draw_slice(draw& d, const std::string& name, index_t extent) {
  const index_t outside = d.one_in(name + ".outside", 8) ? 2 : 0;
  const index_t step = d.number(name + ".step", 1, 6);
  const index_t one = d.number(name + ".begin", -outside, extent + outside);
  const index_t other = d.number(name + ".end", -outside, extent + outside);
  const bool ascends = !d.one_in(name + ".backwards", 10);
  return {ascends ? std::min(one, other) : one, ascends ? std::max(one, other) : other,
          d.one_in(name + ".still", 20) ? 0
          : step > 3                    ? 3 - step
                                        : step};
}

bool is_refused(const slice& s, index_t extent) {
  return s.step == 0 || s.end < s.begin || (s.begin < s.end && (s.begin < 0 || s.end > extent));
}

bool check_subview(draw& d) {
  const host_view v = draw_view(d);
  const slice outer = draw_slice(d, "outer", v.extent(0));
  const slice inner = draw_slice(d, "inner", v.extent(2));
  const index_t at = d.number("at", 0, d.one_in("at.outside", 8) ? 6 : v.extent(1)) -
                     (d.one_in("at.below", 20) ? 1 : 0);
  const bool bad = is_refused(outer, v.extent(0)) || is_refused(inner, v.extent(2)) || at < 0 ||
                   at >= v.extent(1);
  return runs_unless(bad, "a selector leaves the extents or ends before it begins", [&] {
    const auto part = subview(v, outer, at, inner);
    if (bad) return;
    const auto rows = selected(outer);
    const auto columns = selected(inner);
    require_same(part.extent(0), std::ssize(rows), "rows");
    require_same(part.extent(1), std::ssize(columns), "columns");
    for (index_t j = 0; j < part.extent(0); ++j) {
      for (index_t i = 0; i < part.extent(1); ++i) {
        const char* const there = part.data_handle() + part.mapping()(j, i);
        require_same(index_t{there - base},
                     offset_of(v, rows[static_cast<std::size_t>(j)], at,
                               columns[static_cast<std::size_t>(i)]),
                     "offset");
      }
    }
  });
}

bool check_transposed(draw& d) {
  const host_view v = draw_view(d);
  const host_view t = transposed(v);
  for (index_t k = 0; k < v.extent(0); ++k) {
    for (index_t j = 0; j < v.extent(1); ++j) {
      for (index_t i = 0; i < v.extent(2); ++i) {
        require_same(v.mapping()(k, j, i), offset_of(v, k, j, i), "offset");
        require_same(t.mapping()(i, j, k), offset_of(v, k, j, i), "transposed offset");
      }
    }
  }
  return true;
}

/// Checks that as_pitched keeps every element in place, or refuses.
bool check_pitched(draw& d) {
  host_view v = draw_view(d);
  if (d.one_in("pitched", 2)) {
    extents<3> strides(v.stride(1) * v.extent(1), v.stride(1), 1);
    v = host_view(base, layout_stride::mapping<3>(v.extents(), strides));
  }
  const bool bad = (v.extent(2) > 1 && v.stride(2) != 1) ||
                   (v.extent(0) > 1 && v.stride(0) != v.stride(1) * v.extent(1));
  return runs_unless<extent_error>(bad, "there is no one pitch", [&] {
    const auto p = as_pitched(v);
    for (index_t k = 0; k < v.extent(0); ++k) {
      for (index_t j = 0; j < v.extent(1); ++j) {
        for (index_t i = 0; i < v.extent(2); ++i)
          require_same(p.mapping()(k, j, i), offset_of(v, k, j, i), "pitched offset");
      }
    }
  });
}

/// Checks that row-major and column-major mappings number their elements without gaps.
bool check_layouts(draw& d) {
  const host_view v = draw_view(d);
  const auto& sizes = v.extents();
  const layout_right::mapping<3> right(sizes);
  const layout_left::mapping<3> left(sizes);
  const index_t pitch = sizes[2] + d.number("gap", 0, 3);
  const layout_right_padded::mapping<3> padded(sizes, pitch);
  for (index_t k = 0; k < sizes[0]; ++k) {
    for (index_t j = 0; j < sizes[1]; ++j) {
      for (index_t i = 0; i < sizes[2]; ++i) {
        require_same(right(k, j, i), (k * sizes[1] + j) * sizes[2] + i, "row-major offset");
        require_same(left(k, j, i), k + sizes[0] * (j + sizes[1] * i), "column-major offset");
        require_same(padded(k, j, i), (k * sizes[1] + j) * pitch + i, "padded offset");
      }
    }
  }
  require_same(right.required_span_size(), sizes.size(), "span of row-major");
  require_same(left.required_span_size(), sizes.size(), "span of column-major");
  const index_t rows = sizes[0] * sizes[1];
  require_same(padded.required_span_size(), sizes.size() == 0 ? 0 : (rows - 1) * pitch + sizes[2],
               "span of padded");
  return true;
}

const registered all[] = {
    {"view-subview", check_subview},
    {"view-transposed", check_transposed},
    {"view-pitched", check_pitched},
    {"view-layouts", check_layouts},
};

}  // namespace
}  // namespace tandem::fuzz
