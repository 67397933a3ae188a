// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations refuse before they write anything, and similar calls that they accept.

#include <cstdint>
#include <limits>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::slice;

namespace {

/// Views an array's memory as elements of T, whatever the array's element type is.
template <class T, class Array>
auto reinterpreted(Array& from, tandem::index_t n, tandem::index_t byte = 0) {
  using memory = typename Array::memory_type;
  auto* const first = reinterpret_cast<unsigned char*>(from.data_handle()) + byte;
  return tandem::as_view<memory>(reinterpret_cast<T*>(first), n);
}

struct plus_one {
  template <class T>
  TANDEM_FUNCTION T operator()(T x) const {
    return x + 1;
  }
};

struct is_two {
  TANDEM_FUNCTION std::uint32_t operator()(float x) const { return x == 2.0f ? 1 : 0; }
};

struct count_calls {
  template <class... Index>
  TANDEM_FUNCTION int operator()(tandem::index_t, Index...) const {
    return 1;
  }
};

struct nothing {
  TANDEM_FUNCTION void operator()(tandem::index_t) const {}
};
struct nothing_2d {
  TANDEM_FUNCTION void operator()(tandem::index_t, tandem::index_t) const {}
};

}  // namespace

TEST_CASE_TEMPLATE("refusals: views of other element sizes at one address are not in place",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto doubles = to_space(space, random_values<double>(1000, 1));
  const auto before = to_host(space, doubles);
  const auto as_floats = reinterpreted<const float>(doubles, 1000);
  CHECK_THROWS_WITH_AS(tandem::transform(space, as_floats, doubles.view(), plus_one{}),
                       "transform: x and y overlap", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(space, as_floats, doubles.view()),
                       "parallel_scan: x and y overlap and are not the same elements",
                       tandem::argument_error);
  CHECK(first_difference(to_host(space, doubles), before) == -1);
  // Elements of equal size may be converted in place, because each is read before it is written.
  auto floats = to_space(space, std::vector<float>(100, 2.0f));
  const auto as_words = reinterpreted<std::uint32_t>(floats, 100);
  tandem::transform(space, floats.const_view(), as_words, is_two{});
  CHECK(to_host(space, as_words) == std::vector<std::uint32_t>(100, 1));
}

TEST_CASE_TEMPLATE("refusals: a copy onto itself is accepted, but not where elements repeat",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, random_values<float>(8, 1));
  const auto before = to_host(space, x);
  using repeated_row = tandem::layout_stride::mapping<2>;
  const tandem::view<float, 2, tandem::layout_stride, typename Backend::space::memory_type> rows(
      x.data_handle(), repeated_row({2, 4}, {0, 1}));
  CHECK_THROWS_WITH_AS(tandem::copy(space, rows, rows), "copy: destination overlaps itself",
                       tandem::argument_error);
  tandem::copy(space, x.view(), x.view());
  CHECK(first_difference(to_host(space, x), before) == -1);
}

TEST_CASE_TEMPLATE("refusals: views of another stride at one address are not in place", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, random_values<float>(100, 1));
  const auto before = to_host(space, x);
  const auto dense = tandem::subview(x.view(), slice{0, 50});
  const auto even = tandem::subview(x.view(), slice{0, 100, 2});
  CHECK_THROWS_AS(tandem::transform(space, dense, even, plus_one{}), tandem::argument_error);
  CHECK_THROWS_AS(tandem::copy(space, dense, even), tandem::argument_error);
  CHECK_THROWS_AS(tandem::parallel_scan(space, dense, even), tandem::argument_error);
  CHECK(first_difference(to_host(space, x), before) == -1);
}

TEST_CASE_TEMPLATE("refusals: halves and alternate columns of one matrix may be read and written",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::index_t rows = 37, columns = 24;
  const auto values = random_values<float>(static_cast<std::size_t>(rows * columns), 3);
  tandem::array<float, 2, typename Backend::space> m(tandem::extents<2>(rows, columns), space);
  const auto at = [&](tandem::index_t j, tandem::index_t i) {
    return values[static_cast<std::size_t>(j * columns + i)];
  };
  const auto check = [&](const slice& from, const slice& to) {
    tandem::copy(space, values, m);
    const auto x = tandem::subview(m.view(), tandem::all, from);
    const auto y = tandem::subview(m.view(), tandem::all, to);
    tandem::copy(space, x, y);
    auto got = to_host(space, y);
    for (tandem::index_t j = 0; j < rows; ++j) {
      for (tandem::index_t i = 0; i < y.extent(1); ++i) {
        CHECK(got[static_cast<std::size_t>(j * y.extent(1) + i)] ==
              at(j, from.begin + i * from.step));
      }
    }
    tandem::transform(space, x, y, plus_one{});
    got = to_host(space, y);
    CHECK(got[5] == at(0, from.begin + 5 * from.step) + 1);
  };
  check({0, 12}, {12, 24});
  check({12, 24}, {0, 12});
  check({0, 24, 2}, {1, 24, 2});
  check({0, 12, 2}, {12, 24, 2});
  const auto left = tandem::subview(m.view(), tandem::all, slice{0, 13});
  const auto right = tandem::subview(m.view(), tandem::all, slice{11, 24});
  CHECK_THROWS_WITH_AS(tandem::copy(space, left, right), "copy: source and destination overlap",
                       tandem::argument_error);
}

TEST_CASE_TEMPLATE("refusals: an output that names one element twice", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using memory = typename Backend::space::memory_type;
  auto x = to_space(space, random_values<float>(64, 1));
  auto out = to_space(space, std::vector<float>(64, 7.0f));
  using layout = tandem::layout_stride;
  const tandem::view<float, 1, layout, memory> repeated(out.data_handle(),
                                                        layout::mapping<1>({64}, {0}));
  CHECK_THROWS_WITH_AS(tandem::transform(space, x.view(), repeated, plus_one{}),
                       "transform: y overlaps itself", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::copy(space, x.view(), repeated), "copy: destination overlaps itself",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(space, x.view(), repeated),
                       "parallel_scan: y overlaps itself", tandem::argument_error);
  const tandem::view<float, 2, layout, memory> twisted(out.data_handle(),
                                                       layout::mapping<2>({4, 4}, {2, 3}));
  const auto plane = tandem::view<const float, 2, layout, memory>(
      x.data_handle(), layout::mapping<2>({4, 4}, {4, 1}));
  CHECK_THROWS_WITH_AS(tandem::copy(space, plane, twisted), "copy: destination overlaps itself",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(space, plane, twisted, plus_one{}),
                       "transform: y overlaps itself", tandem::argument_error);
  CHECK(to_host(space, out) == std::vector<float>(64, 7.0f));
}

TEST_CASE_TEMPLATE("refusals: operands of products compare in bytes", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using layout = tandem::layout_stride;
  using memory = typename Backend::space::memory_type;
  auto bytes = to_space(space, std::vector<std::uint8_t>(20000, 0));
  auto b = to_space(space, std::vector<tandem::half>(10000, tandem::half(0.0f)));
  auto* const first = bytes.data_handle();
  const auto rows = [&]<class T>(T* at, tandem::index_t stride) {
    return tandem::view<T, 2, layout, memory>(at, layout::mapping<2>({20, 20}, {stride, 1}));
  };
  const auto a = rows(reinterpret_cast<tandem::half*>(first), 100);
  const auto c = rows(reinterpret_cast<float*>(first + 200), 100);
  CHECK_THROWS_WITH_AS(tandem::matmul(space, a, rows(b.data_handle(), 20), c),
                       "matmul: c overlaps a", tandem::argument_error);
  const auto beside = rows(reinterpret_cast<float*>(first + 40), 50);
  tandem::matmul(space, a, rows(b.data_handle(), 20), beside);  // rows of 200 bytes, next to each
                                                                // other
}

TEST_CASE_TEMPLATE("refusals: a product whose result overlaps itself in three dimensions", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using layout = tandem::layout_stride;
  using memory = typename Backend::space::memory_type;
  auto values = to_space(space, std::vector<float>(100, 1.0f));
  auto out = to_space(space, std::vector<float>(100, 1.0f));
  const auto cube = [&](float* at, const tandem::extents<3>& strides) {
    return tandem::view<float, 3, layout, memory>(at, layout::mapping<3>({2, 2, 2}, strides));
  };
  const auto a = cube(values.data_handle(), {4, 2, 1});
  CHECK_THROWS_WITH_AS(tandem::matmul(space, a, a, cube(out.data_handle(), {3, 2, 1})),
                       "matmul: c overlaps itself", tandem::argument_error);
  CHECK(to_host(space, out) == std::vector<float>(100, 1.0f));
  // Batches whose matrices interleave element by element do not overlap.
  tandem::matmul(space, a, a, cube(out.data_handle(), {1, 4, 2}));
  CHECK(to_host(space, out)[7] == 2.0f);
}

TEST_CASE_TEMPLATE("refusals: keys, values and their outputs that overlap", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto line = to_space(space, random_values<std::uint32_t>(400, 1));
  const auto before = to_host(space, line);
  const auto part = [&](tandem::index_t begin) {
    return tandem::as_view<typename Backend::space::memory_type>(line.data_handle() + begin, 100);
  };
  const auto refuse = [&](auto keys, auto values, auto keys_out, auto values_out) {
    CHECK_THROWS_AS(tandem::sort_by_key(space, keys, values, keys_out, values_out),
                    tandem::argument_error);
  };
  refuse(part(100), part(300), part(200), part(50));  // keys and values_out
  refuse(part(0), part(100), part(150), part(300));   // values and keys_out
  refuse(part(0), part(100), part(200), part(250));   // the outputs
  refuse(part(0), part(100), part(50), part(300));    // keys and keys_out overlap partly
  refuse(part(0), part(100), part(200), part(150));   // values and values_out overlap partly
  CHECK(to_host(space, line) == before);
  tandem::sort_by_key(space, part(0), part(100), part(200), part(300));
}

TEST_CASE_TEMPLATE("refusals: numbers of indices that overflow", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::index_t huge = tandem::index_t{1} << 32;
  for (const std::size_t n : {std::size_t{1} << 63, std::size_t(-1)})
    CHECK_THROWS_WITH_AS(tandem::parallel_for(space, n, nothing{}),
                         doctest::Contains("indices are more than 2^63 - 1"), tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{huge, huge}, nothing_2d{}),
                  tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce(space, tandem::grid{huge, huge / 2}, count_calls{}),
                       "parallel_reduce: the grid has 2^63 indices or more", tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_reduce(space, std::uint64_t(-2), count_calls{}),
                  tandem::extent_error);
  CHECK_THROWS_AS(
      tandem::parallel_for(space, tandem::range{-(tandem::index_t{1} << 62) * 2 + 1, 2}, nothing{}),
      tandem::extent_error);
  CHECK(tandem::parallel_reduce(space, tandem::grid{tandem::index_t{0}, huge}, count_calls{}) == 0);
}

TEST_CASE_TEMPLATE("refusals: negative numbers of indices, and ranges that end before they begin",
                   Backend, TANDEM_TEST_BACKENDS) {
  using tandem::grid, tandem::range, tandem::extent_error;
  const auto space = Backend::make();
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, -5, nothing{}),
                       "parallel_for: indices (-5) < smallest size (0): did a product of ints "
                       "overflow? compute it in tandem::index_t",
                       extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, range{8, 2}, nothing{}),
                       "parallel_for: end of the range (2) < its begin (8)", extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, range{8, 2}.with_block<64>(), nothing{}),
                  extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, range{8, 2}.with_blocks(3), nothing{}), extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, grid{{0, 4}, {8, 2}}, nothing_2d{}),
                       "parallel_for: end of a range of the grid (2) < its begin (8)",
                       extent_error);
  constexpr auto least = std::numeric_limits<tandem::index_t>::min();
  constexpr auto most = std::numeric_limits<tandem::index_t>::max();
  CHECK_THROWS_AS(tandem::parallel_for(space, range{most, least}, nothing{}), extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, grid{{0, 4}, {most, least}}, nothing_2d{}),
                  extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, grid{{0, 4}, {least, most}}, nothing_2d{}),
                  extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce(space, -5, count_calls{}),
                       "parallel_reduce: indices (-5) < smallest size (0): did a product of ints "
                       "overflow? compute it in tandem::index_t",
                       extent_error);
  CHECK_THROWS_AS(tandem::parallel_reduce(space, range{8, 2}, count_calls{}), extent_error);
  CHECK_THROWS_WITH_AS(tandem::partial_reduce(space, range{2048, 0}, count_calls{}, tandem::sum{}),
                       "partial_reduce: end of the range (0) < its begin (2048)", extent_error);
  tandem::array<int, 1, typename Backend::space> none(tandem::extents<1>(0), 0, space);
  CHECK_THROWS_AS(tandem::parallel_scan(space, -5, count_calls{}, none), extent_error);
  CHECK_THROWS_AS(tandem::parallel_scan(space, range{8, 2}, count_calls{}, none), extent_error);
  tandem::parallel_for(space, 0, nothing{});
  tandem::parallel_for(space, range{8, 8}, nothing{});
  tandem::parallel_for(space, grid{{0, 4}, {8, 8}}, nothing_2d{});
  tandem::adjacent_difference(space, none.view(), none.view());
}

TEST_CASE_TEMPLATE("refusals: views whose elements cannot be counted or addressed", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using memory = typename Backend::space::memory_type;
  const tandem::index_t huge = tandem::index_t{1} << 32;
  const tandem::view<float, 2, tandem::layout_right, memory> none(nullptr, {huge, huge});
  CHECK_THROWS_AS(tandem::fill(space, none, 1.0f), tandem::extent_error);
  const tandem::view<double, 1, tandem::layout_right, memory> bytes(nullptr,
                                                                    {tandem::index_t{1} << 61});
  CHECK_THROWS_AS(tandem::fill(space, bytes, 1.0), tandem::extent_error);
  const tandem::view<float, 2, tandem::layout_right, memory> empty(nullptr, {huge, 0});
  tandem::fill(space, empty, 1.0f);
  const tandem::view<float, 1, tandem::layout_right, memory> null(nullptr, {5});
  CHECK_THROWS_WITH_AS(tandem::fill(space, null, 1.0f),
                       "fill: x has 5 elements but no memory (null)", tandem::argument_error);
}
