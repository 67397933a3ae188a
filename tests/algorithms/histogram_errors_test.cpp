// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What histogram() refuses, operand by operand, and the last values that it accepts.

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/backends.hpp"
#include "support/operands.hpp"

using namespace tandem::test;
using tandem::argument_error;
using tandem::extent_error;
using tandem::slice;

TEST_CASE_TEMPLATE("histogram errors: the message names the operand", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  const auto x = o.x.view(), y = o.y.view(), z = o.z.view();
  tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(4), 7, o.space);
  const line_of<int, memory> no_counts(nullptr, tandem::extents<1>(4));
  const tandem::uniform_bins<float> bins{.lo = 0, .hi = 1};
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, o.null, bins, counts.view()),
                       "histogram: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, no_counts),
                       "histogram: counts has 4 elements but no memory (null)", argument_error);
  const auto gaps = tandem::subview(counts.view(), slice{0, 4, 2});
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, gaps),
                       "histogram: counts has stride 2, not 1", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, o.null, counts.view()),
                       "histogram: edges has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, o.longer.view(), counts.view()),
                       "histogram: edges (6) != bins + 1 (5)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, o.null, y),
                       "histogram: weights has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, o.longer.view(), y),
                       "histogram: extent 0 of x (5) != extent 0 of weights (6)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, y, o.null),
                       "histogram: sums has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, y, y),
                       "histogram: sums overlaps an input", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, y, x),
                       "histogram: sums overlaps an input", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, o.longer.view(), y,
                                         tandem::subview(o.longer.view(), slice{0, 5})),
                       "histogram: sums overlaps an input", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, x, bins, y, o.gaps()),
                       "histogram: sums has stride 2, not 1", argument_error);
  CHECK(o.unchanged());
  CHECK(to_host(o.space, counts) == std::vector<int>(4, 7));
  tandem::histogram(o.space, x, bins, y, z);  // all five 1s fall into the closed last bin, 2 each
  CHECK(to_host(o.space, z) == std::vector<float>{0, 0, 0, 0, 10});
}

TEST_CASE_TEMPLATE("histogram errors: at the ends of what bins can be", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  using tandem::index_t;
  auto x = to_space(o.space, std::vector<double>{0.25, 0.5});
  auto naturals = to_space(o.space, std::vector<std::uint64_t>{0, 1});
  auto integers = to_space(o.space, std::vector<std::int64_t>{0, 1});
  tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(4), 7, o.space);
  const auto c = counts.view();
  constexpr double most = std::numeric_limits<double>::max();
  constexpr index_t last = std::numeric_limits<index_t>::max();
  const auto v = x.const_view();
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, v, {.lo = 1, .hi = 1}, c),
                       "histogram: lo (1) >= hi (1)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, v, {.lo = -most, .hi = most}, c),
                       doctest::Contains("are further apart than a double can tell"),
                       argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::histogram(o.space, v, {.lo = -std::numeric_limits<double>::infinity(), .hi = 1}, c),
      "histogram: lo (-inf) or hi (1) is not finite", argument_error);
  const auto none = tandem::subview(v, slice{0, 0});  // an empty view overlaps nothing
  const line_of<int, memory> billions(counts.data_handle(), tandem::extents<1>(index_t{1} << 31));
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, none, {.lo = 0, .hi = 1}, billions),
                       "histogram: bins (2147483648) > most bins of this kind (2147483647)",
                       extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::histogram(o.space, integers.const_view(), {.first = last - 2}, c),
      "histogram: value of the first bin (9223372036854775805) > largest (9223372036854775804)",
      extent_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(o.space, naturals.const_view(), {.first = -1}, c),
                       "histogram: value of the first bin (-1) < smallest value of x's type (0)",
                       extent_error);
  const tandem::view<const double, 1, tandem::layout_stride, memory> apart(
      x.data_handle(), tandem::layout_stride::mapping<1>({index_t{1} << 32}, {index_t{1} << 32}));
  CHECK_THROWS_AS(tandem::histogram(o.space, apart, {.lo = 0, .hi = 1}, c), extent_error);
  CHECK(to_host(o.space, counts) == std::vector<int>(4, 7));
  tandem::histogram(o.space, integers.const_view(), {.first = last - 3}, c);
  CHECK(to_host(o.space, counts) == std::vector<int>(4, 0));
  tandem::histogram(o.space, naturals.const_view(), {.first = 0}, c);
  CHECK(to_host(o.space, counts) == std::vector<int>{1, 1, 0, 0});
  tandem::histogram(o.space, v, {.lo = -most / 2, .hi = most / 2}, c);
  CHECK(to_host(o.space, counts) == std::vector<int>{0, 0, 2, 0});
}

TEST_CASE_TEMPLATE("histogram errors: edges ascend, equal ones allowed", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  auto x = to_space(o.space, std::vector<int>{0, 1, 2, 3});
  auto equal = to_space(o.space, std::vector<int>{0, 1, 1, 3});
  auto nan = to_space(o.space, std::vector<float>{0, std::nanf(""), 2, 3});
  tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(3), 7, o.space);
  tandem::histogram(o.space, x.const_view(), equal.const_view(), counts.view());
  CHECK(to_host(o.space, counts) == std::vector<int>{1, 0, 3});
  auto falling = to_space(o.space, std::vector<int>{0, 1, 3, 2});
  if constexpr (Backend::space::memory_type::host_accessible) {
    CHECK_THROWS_WITH_AS(
        tandem::histogram(o.space, x.const_view(), falling.const_view(), counts.view()),
        "histogram: edge 2 (3) is not <= edge 3 (2)", argument_error);
    CHECK_THROWS_AS(tandem::histogram(o.space, o.x.const_view(), nan.const_view(), counts.view()),
                    argument_error);
  }
  CHECK(to_host(o.space, counts) == std::vector<int>{1, 0, 3});
}
