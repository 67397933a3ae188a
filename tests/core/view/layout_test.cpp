// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every layout with its queries, index by index.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include <tandem/core/extents.hpp>
#include <tandem/core/view/layout.hpp>

using tandem::extents;
using tandem::index_t;

namespace {

using index3 = std::array<index_t, 3>;

/// Returns every index of a box, with the last dimension varying fastest.
std::vector<index3> indices_of(const extents<3>& sizes) {
  std::vector<index3> all;
  for (index_t k = 0; k < sizes[0]; ++k) {
    for (index_t j = 0; j < sizes[1]; ++j) {
      for (index_t i = 0; i < sizes[2]; ++i) all.push_back({k, j, i});
    }
  }
  return all;
}

const extents<3> boxes[] = {{2, 3, 5}, {1, 1, 1}, {4, 1, 3}, {1, 7, 1}, {0, 3, 2},
                            {3, 0, 2}, {3, 2, 0}, {5, 5, 1}, {6, 4, 2}};

/// Checks a mapping's offsets, strides and span; `offset` says where an index must be.
template <class Mapping, class Offset>
void check_mapping(const Mapping& mapping, const extents<3>& sizes, const Offset& offset) {
  CAPTURE(sizes[0]);
  CAPTURE(sizes[1]);
  CAPTURE(sizes[2]);
  index_t span = 0;
  for (const auto& [k, j, i] : indices_of(sizes)) {
    CHECK(mapping(k, j, i) == offset(k, j, i));
    span = std::max(span, offset(k, j, i) + 1);
  }
  CHECK(mapping.required_span_size() == span);
  CHECK(mapping.stride(0) == offset(1, 0, 0));
  CHECK(mapping.stride(1) == offset(0, 1, 0));
  CHECK(mapping.stride(2) == offset(0, 0, 1));
  CHECK(mapping.extents() == sizes);
}

}  // namespace

TEST_CASE("layout: right numbers elements row by row, left column by column") {
  for (const auto& n : boxes) {
    const tandem::layout_right::mapping<3> right(n);
    check_mapping(right, n,
                  [&](index_t k, index_t j, index_t i) { return i + n[2] * j + n[2] * n[1] * k; });
    CHECK(right.is_exhaustive());
    const tandem::layout_left::mapping<3> left(n);
    check_mapping(left, n,
                  [&](index_t k, index_t j, index_t i) { return k + n[0] * j + n[0] * n[1] * i; });
    CHECK(left.is_exhaustive());
  }
}

TEST_CASE("layout: padded rows are a pitch apart") {
  for (const auto& n : boxes) {
    for (const index_t pitch : {n[2], n[2] + 1, n[2] + 11}) {
      const tandem::layout_right_padded::mapping<3> mapping(n, pitch);
      check_mapping(mapping, n, [&](index_t k, index_t j, index_t i) {
        return i + pitch * j + pitch * n[1] * k;
      });
      const bool one_row = n[0] * n[1] == 1 || n.size() == n[2];
      CHECK(mapping.is_exhaustive() == (pitch == n[2] || one_row));
    }
    const tandem::layout_right_padded::mapping<3> packed(n);
    CHECK(packed.stride(1) == n[2]);
    CHECK(packed.is_exhaustive());
  }
}

TEST_CASE("layout: strides of any size and sign, and the span that they reach") {
  for (const auto& n : boxes) {
    for (const extents<3>& s : {extents<3>{100, 10, 1}, extents<3>{1, 20, 300}, extents<3>{0, 7, 2},
                                extents<3>{-50, 5, 1}, extents<3>{30, -4, 1}, extents<3>{40, 9, -1},
                                extents<3>{-9, -3, -1}}) {
      check_mapping(
          tandem::layout_stride::mapping<3>(n, s), n,
          [&](index_t k, index_t j, index_t i) { return s[0] * k + s[1] * j + s[2] * i; });
    }
  }
}

TEST_CASE("layout: which strides leave no gap") {
  using mapping = tandem::layout_stride::mapping<3>;
  const extents<3> n{2, 3, 5};
  CHECK(mapping(n, {15, 5, 1}).is_exhaustive());
  CHECK(mapping(n, {1, 2, 6}).is_exhaustive());
  CHECK(!mapping(n, {16, 5, 1}).is_exhaustive());
  CHECK(!mapping(n, {15, 6, 1}).is_exhaustive());
  CHECK(!mapping(n, {15, 5, 2}).is_exhaustive());
  CHECK(!mapping(n, {1, 2, 7}).is_exhaustive());
  CHECK(!mapping(n, {-15, 5, 1}).is_exhaustive());
  // The stride of a dimension with one index does not matter.
  CHECK(mapping({1, 3, 5}, {99, 5, 1}).is_exhaustive());
  CHECK(mapping({2, 1, 5}, {5, 99, 1}).is_exhaustive());
  CHECK(mapping({2, 3, 1}, {3, 1, 99}).is_exhaustive());
  // Conversion to another layout keeps the positions of the elements.
  const mapping same(tandem::layout_left::mapping<3>{n});
  CHECK(same.is_exhaustive());
  CHECK(same(1, 2, 4) == 29);
  CHECK(same(1, 0, 3) == 19);
}

TEST_CASE("extents: sizes, equality and the rank of no dimension") {
  CHECK(extents<0>().size() == 1);
  CHECK(extents<3>().size() == 0);
  CHECK(extents<3>{2, 3, 5}.size() == 30);
  CHECK(extents<3>{2, 3, 5} == extents<3>{2, 3, 5});
  for (const extents<3>& other : {extents<3>{1, 3, 5}, extents<3>{2, 2, 5}, extents<3>{2, 3, 4}})
    CHECK(!(extents<3>{2, 3, 5} == other));
  CHECK(extents<0>() == extents<0>());
}
