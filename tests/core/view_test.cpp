// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <tandem/tandem.hpp>

using tandem::all;
using tandem::extents;
using tandem::host_memory;
using tandem::layout_left;
using tandem::layout_right;
using tandem::layout_right_padded;
using tandem::layout_stride;
using tandem::slice;
using tandem::view;

namespace {

std::vector<int> counting(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class T, int Rank, class Layout = layout_right>
using host_view = view<T, Rank, Layout, host_memory>;

}  // namespace

TEST_CASE("view: the views of a space's arrays have short names") {
  using tandem::serial;
  using line = tandem::array<float, 1, serial>;
  CHECK(std::is_same_v<tandem::view_of<serial, float>, line::view_type>);
  CHECK(std::is_same_v<tandem::const_view_of<serial, float>, line::const_view_type>);
  CHECK(
      std::is_same_v<tandem::view_of<serial, int, 2, layout_left>, host_view<int, 2, layout_left>>);
}

TEST_CASE("view: a null name is none") {
  float x[2] = {};
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> v(x, {2});
  CHECK(std::string(v.named(nullptr).label()).empty());
}

TEST_CASE("view: a negative extent is refused, as an array's is") {
  float x[6] = {};
  CHECK_THROWS_WITH_AS((void)tandem::as_view<host_memory>(x, -3),
                       "as_view: extent (-3) < smallest size (0): did a product of ints overflow? "
                       "compute it in tandem::index_t",
                       tandem::extent_error);
  CHECK_THROWS_AS((void)tandem::as_view<host_memory>(x, 2, -3), tandem::extent_error);
  CHECK_THROWS_AS((void)tandem::as_view<host_memory>(x, ~std::size_t{0}), tandem::extent_error);
  CHECK(tandem::as_view<host_memory>(x, 2, 3u).size() == 6);
  CHECK(tandem::as_view<host_memory>(x, 0).empty());
}

TEST_CASE("view: 2^63 bytes or more are refused, as an array's are") {
  float x[1] = {};
  const tandem::index_t big = tandem::index_t{1} << 40;
  CHECK_THROWS_WITH_AS((void)tandem::as_view<host_memory>(x, big, big),
                       "as_view: the bytes of 1099511627776 times the other extents overflow 64 "
                       "bits",
                       tandem::extent_error);
  CHECK_THROWS_AS((void)tandem::as_view<host_memory>(x, tandem::index_t{1} << 61),
                  tandem::extent_error);
  CHECK(tandem::as_view<host_memory>(x, big, big, 0).empty());
  CHECK(tandem::as_view<host_memory>(x, big, 1).size() == big);
}

TEST_CASE("view: rank 0 is one element") {
  int x = 5;
  const host_view<int, 0> v(&x, extents<0>{});
  v() += 1;
  CHECK(x == 6);
  CHECK(v.size() == 1);
}

TEST_CASE("view: row-major offsets up to rank 6") {
  auto values = counting(64);
  const host_view<int, 6> v(values.data(), {2, 2, 2, 2, 2, 2});
  CHECK(v(1, 0, 1, 0, 1, 1) == 0b101011);
  CHECK(v.stride(0) == 32);
  CHECK(v.stride(5) == 1);
  CHECK(v.is_exhaustive());
}

TEST_CASE("view: column-major offsets") {
  auto values = counting(12);
  const host_view<int, 2, layout_left> v(values.data(), {3, 4});
  CHECK(v(2, 1) == 5);
  CHECK(v.stride(0) == 1);
  CHECK(v.stride(1) == 3);
}

TEST_CASE("view: strides may be zero or negative") {
  auto values = counting(10);
  const layout_stride::mapping<1> backwards({10}, {-1});
  const host_view<int, 1, layout_stride> v(values.data() + 9, backwards);
  CHECK(v(0) == 9);
  CHECK(v(9) == 0);
  const layout_stride::mapping<2> repeated({3, 10}, {0, 1});
  const host_view<int, 2, layout_stride> rows(values.data(), repeated);
  CHECK(rows(2, 7) == 7);
  CHECK(!rows.is_exhaustive());
}

TEST_CASE("view: rows with gaps between them") {
  auto values = counting(60);
  const layout_right_padded::mapping<2> apart({3, 4}, 7);
  const host_view<int, 2, layout_right_padded> v(values.data(), apart);
  CHECK(v(2, 3) == 17);
  CHECK(v.stride(0) == 7);
  CHECK(v.stride(1) == 1);
  CHECK(v.mapping().required_span_size() == 18);
  CHECK(!v.is_exhaustive());
  const host_view<const int, 2, layout_stride> general = v;
  CHECK(general(2, 3) == 17);
  const layout_right_padded::mapping<3> planes({2, 3, 4}, 7);
  CHECK(planes(1, 2, 3) == 21 + 14 + 3);
  CHECK(planes.stride(0) == 21);
  CHECK(planes.stride(1) == 7);
  CHECK(layout_right_padded::mapping<2>(tandem::extents<2>(3, 4)).is_exhaustive());
  CHECK(layout_right_padded::mapping<2>({1, 4}, 7).is_exhaustive());
  CHECK(layout_right_padded::mapping<2>({0, 4}, 7).required_span_size() == 0);
}

TEST_CASE("view: converts to const elements and to layout_stride, keeps the elements") {
  auto values = counting(6);
  const host_view<int, 2> v(values.data(), {2, 3});
  const host_view<const int, 2> fixed = v;
  const host_view<const int, 2, layout_stride> general = v;
  CHECK(fixed(1, 2) == 5);
  CHECK(general(1, 2) == 5);
  CHECK(general.is_exhaustive());
  static_assert(!std::is_convertible_v<host_view<const int, 2>, host_view<int, 2>>);
  static_assert(
      !std::is_convertible_v<host_view<int, 2>, view<int, 2, layout_right, tandem::device_memory>>);
  static_assert(
      std::is_convertible_v<view<int, 2, layout_right, tandem::pinned_memory>, host_view<int, 2>>);
  static_assert(std::is_trivially_copyable_v<host_view<int, 6, layout_stride>>);
}

TEST_CASE("subview: indices drop dimensions, slices keep them") {
  auto values = counting(60);
  const host_view<int, 3> v(values.data(), {3, 4, 5});
  const auto row = tandem::subview(v, 2, 1, all);
  static_assert(decltype(row)::rank() == 1);
  CHECK(row.extent(0) == 5);
  CHECK(row(3) == 48);
  const auto part = tandem::subview(v, slice{0, 3, 2}, all, slice{1, 4});
  CHECK(part.extent(0) == 2);
  CHECK(part.extent(2) == 3);
  CHECK(part(1, 3, 2) == 2 * 20 + 15 + 3);
  CHECK(tandem::subview(v, 1, 1, 1)() == 26);
}

TEST_CASE("as_pitched: the same elements with contiguous rows") {
  auto values = counting(60);
  const host_view<int, 3> v(values.data(), {3, 4, 5});
  const auto window = tandem::as_pitched(tandem::subview(v, 1, all, slice{1, 4}));
  static_assert(std::is_same_v<decltype(window)::layout_type, layout_right_padded>);
  CHECK(window.extent(1) == 3);
  CHECK(window(3, 2) == 20 + 15 + 1 + 2);
  const auto planes = tandem::as_pitched(tandem::subview(v, slice{0, 3}, all, slice{0, 2}));
  CHECK(planes(2, 3, 1) == 40 + 15 + 1);
  CHECK(tandem::as_pitched(tandem::subview(v, 0, slice{2, 2}, all)).empty());
  // The stride along a dimension with one index cannot be wrong.
  CHECK(tandem::as_pitched(tandem::subview(v, 0, all, slice{0, 1, 3}))(3, 0) == 15);
}

TEST_CASE("as_pitched: views whose rows are not contiguous, or unevenly apart, are refused") {
  auto values = counting(60);
  const host_view<int, 3> v(values.data(), {3, 4, 5});
  CHECK_THROWS_WITH_AS(tandem::as_pitched(tandem::subview(v, 0, all, slice{0, 5, 2})),
                       "as_pitched: stride (2) != stride of packed rows (1)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::as_pitched(tandem::subview(v, all, slice{0, 2}, all)),
                       "as_pitched: stride (20) != stride of packed rows (10)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::as_pitched(tandem::transposed(tandem::subview(v, 0, all, all))),
                  tandem::extent_error);
}

TEST_CASE("subview: empty slices and reversed ones") {
  auto values = counting(10);
  const host_view<int, 1> v(values.data(), {10});
  CHECK(tandem::subview(v, slice{5, 5}).empty());
  CHECK(tandem::subview(v, slice{5, 5, -1}).empty());
  CHECK(tandem::subview(v, slice{0}).empty());
  const auto backwards = tandem::subview(v, slice{0, 10, -3});
  CHECK(backwards.extent(0) == 4);
  CHECK(backwards(0) == 9);
  CHECK(backwards(3) == 0);
}

TEST_CASE("subview: what leaves the extent is refused") {
  auto values = counting(10);
  const host_view<int, 1> v(values.data(), {10});
  CHECK_THROWS_WITH_AS(tandem::subview(v, 10), "subview: index (10) outside extent (10)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::subview(v, -1), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::subview(v, slice{0, 11}), "subview: end (11) > extent (10)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::subview(v, slice{-1, 3}), tandem::extent_error);
  CHECK_THROWS_AS(tandem::subview(v, slice{0, 3, 0}), tandem::argument_error);
}

TEST_CASE("subview: slices up to the ends of 64 bits") {
  constexpr auto least = std::numeric_limits<tandem::index_t>::min();
  constexpr auto most = std::numeric_limits<tandem::index_t>::max();
  auto values = counting(128);
  const host_view<int, 2> v(values.data(), {64, 2});
  const slice refused[] = {{least, most}, {-1, most},       {least, 0},
                           {0, most},     {least, most, 3}, {least, most, least}};
  for (const slice& s : refused) CHECK_THROWS_AS(tandem::subview(v, s, 0), tandem::extent_error);
  CHECK_THROWS_AS(tandem::subview(v, slice{most, least}, 0), tandem::extent_error);
  const auto first = tandem::subview(v, slice{0, 64, most}, 1);
  CHECK(first.extent(0) == 1);
  CHECK(first(0) == 1);
  const auto last = tandem::subview(v, slice{0, 64, least}, 1);
  CHECK(last.extent(0) == 1);
  CHECK(last(0) == 127);
  CHECK(tandem::subview(v, slice{3, 3, most}, 1).empty());
  static_assert(slice{-1, most}.size() < 0 && slice{0, most, most}.size() == 1);
  static_assert(slice{least, most, least}.size() == 2);
}

TEST_CASE("subview: a slice whose end is before its begin is refused") {
  auto values = counting(10);
  const host_view<int, 1> v(values.data(), {10});
  CHECK_THROWS_WITH_AS(tandem::subview(v, slice{7, 3}), "subview: end (3) < begin (7)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::subview(v, slice{-3}), "subview: end (-3) < begin (0)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::subview(v, slice{9, -1, -1}),
                       "subview: end (-1) < begin (9); a step of -1 visits end - 1 first and begin "
                       "last",
                       tandem::extent_error);
}

TEST_CASE("transposed: swaps rows and columns without a copy") {
  auto values = counting(6);
  const host_view<int, 2> v(values.data(), {2, 3});
  const auto t = tandem::transposed(v);
  CHECK(t.extent(0) == 3);
  CHECK(t(2, 1) == v(1, 2));
  CHECK(&t(2, 1) == &v(1, 2));
}

TEST_CASE("transposed: axes in any order, each of them once") {
  std::vector<int> storage(2 * 3 * 4);
  std::iota(storage.begin(), storage.end(), 0);
  const view<int, 3> v(storage.data(), {2, 3, 4});
  const auto t = tandem::transposed(v, 1, 2u, std::size_t{0});
  CHECK(t.extents() == tandem::extents<3>{3, 4, 2});
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 4; ++i) CHECK(&t(j, i, k) == &v(k, j, i));
    }
  }
  CHECK(tandem::transposed(t, 2, 0, 1).stride(2) == 1);
  CHECK(&tandem::transposed(t, 2, 1, 0)(1, 3, 2) == &tandem::transposed(t)(1, 3, 2));
  CHECK_THROWS_AS((void)tandem::transposed(v, 0, 1, 1), tandem::argument_error);
  CHECK_THROWS_AS((void)tandem::transposed(v, 0, 1, 3), tandem::argument_error);
  CHECK_THROWS_AS((void)tandem::transposed(v, 0, 1, -1), tandem::argument_error);
}

TEST_CASE("copy problems: neighbouring dimensions are merged") {
  auto values = counting(120);
  auto others = counting(120);
  const host_view<int, 4> v(values.data(), {2, 3, 4, 5});
  const host_view<int, 4> w(others.data(), {2, 3, 4, 5});
  const auto whole = tandem::detail::make_copy_problem(v, w);
  CHECK(whole.rank == 1);
  CHECK(whole.extent[0] == 120);
  CHECK(whole.is_contiguous());
  const auto rows =
      tandem::detail::make_copy_problem(tandem::subview(v, all, all, slice{0, 2}, all),
                                        tandem::subview(w, all, all, slice{0, 2}, all));
  CHECK(rows.rank == 2);
  CHECK(rows.extent[0] == 6);
  CHECK(rows.extent[1] == 10);
  CHECK(rows.source_stride[0] == 20);
}

TEST_CASE("overlap: interleaved elements do not overlap, shifted ones do") {
  auto values = counting(10);
  const host_view<int, 1> v(values.data(), {10});
  const auto even = tandem::subview(v, slice{0, 10, 2});
  const auto odd = tandem::subview(v, slice{1, 10, 2});
  CHECK(!tandem::detail::overlaps(even, odd));
  CHECK(
      tandem::detail::overlaps(tandem::subview(v, slice{0, 6}), tandem::subview(v, slice{5, 10})));
  CHECK(
      !tandem::detail::overlaps(tandem::subview(v, slice{0, 5}), tandem::subview(v, slice{5, 10})));
  CHECK(tandem::detail::overlaps(tandem::subview(v, slice{0, 5, -1}),
                                 tandem::subview(v, slice{0, 1})));
}

#if TANDEM_CHECKED
TEST_CASE("view: a checked build names view, index, dimension and extent") {
  auto values = counting(6);
  const auto v = host_view<int, 2>(values.data(), {2, 3}).named("weights");
  CHECK(v(1, 2) == 5);
  CHECK_THROWS_WITH_AS(v(1, 3), "view 'weights': index 3 of dimension 1 is outside its extent 3",
                       tandem::extent_error);
  CHECK_THROWS_AS(v(-1, 0), tandem::extent_error);
}

TEST_CASE("view: a checked build says the extents and the address of a view without a name") {
  auto values = counting(6);
  const host_view<int, 2> v(values.data(), {2, 3});
  char wanted[100];
  std::snprintf(wanted, sizeof wanted,
                "view of 2 x 3 elements at %p: index 2 of dimension 0 is outside its extent 2",
                static_cast<void*>(values.data()));
  CHECK_THROWS_WITH_AS(v(2, 0), wanted, tandem::extent_error);
}

TEST_CASE("view: a checked build refuses a device's memory on the host") {
  auto values = counting(6);
  const auto v = tandem::as_view<tandem::device_memory>(values.data(), 6);
  const auto named = v.named("weights");
  CHECK_THROWS_WITH_AS(named(1),
                       doctest::Contains("view 'weights': its elements lie in the memory "
                                         "of a device, which code of the host cannot"),
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(v(1), doctest::Contains("view of 6 elements at 0x"), tandem::argument_error);
  CHECK(tandem::as_view<tandem::pinned_memory>(values.data(), 6)(2) == 2);
}

TEST_CASE("view: a checked build keeps a copy of a name") {
  auto values = counting(2);
  std::string name(40, 'x');
  const auto v = host_view<int, 1>(values.data(), {2}).named(name.c_str());
  name = "other";
  const view<const int, 1, tandem::layout_right, tandem::host_memory> same = v;
  CHECK(std::string(same.label()) == std::string(31, 'x'));
}
#endif
