// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares iota, reverse and adjacent_difference with the standard library's.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::slice;

namespace {

struct sum_of_both {
  TANDEM_FUNCTION std::int32_t operator()(std::int32_t later, std::int32_t earlier) const {
    return 2 * later + earlier;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("iota: first + i * step at every size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    CAPTURE(n);
    auto x = to_space(space, std::vector<int>(n));
    tandem::iota(space, x);
    auto y = to_space(space, std::vector<std::int64_t>(n));
    const std::int64_t first = std::numeric_limits<std::int64_t>::max();
    const std::int64_t step = -(std::int64_t{1} << 40);
    tandem::iota(space, y, first, step);
    const auto xs = to_host(space, x);
    const auto ys = to_host(space, y);
    for (std::size_t i = 0; i < n; ++i) {
      REQUIRE(xs[i] == static_cast<int>(i));
      REQUIRE(ys[i] == first + static_cast<std::int64_t>(i) * step);
    }
  }
}

TEST_CASE_TEMPLATE("iota: integers outside the range of their type are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto refused = [&](auto first, auto step, std::size_t fitting) {
    using T = decltype(first);
    auto x = to_space(space, std::vector<T>(fitting, T{1}));
    tandem::iota(space, x, first, step);
    const std::uint64_t last =
        static_cast<std::uint64_t>(first) + (fitting - 1) * static_cast<std::uint64_t>(step);
    CHECK(to_host(space, x).back() == static_cast<T>(last));
    auto longer = to_space(space, std::vector<T>(fitting + 1, T{1}));
    CHECK_THROWS_AS(tandem::iota(space, longer, first, step), tandem::argument_error);
    CHECK(to_host(space, longer) == std::vector<T>(fitting + 1, T{1}));
  };
  refused(std::uint8_t{0}, std::uint8_t{1}, 256);
  refused(std::int8_t{127}, std::int8_t{-1}, 256);
  refused(std::int8_t{-128}, std::int8_t{100}, 3);
  refused(std::int16_t{5}, std::int16_t{2}, 16382);
  refused(std::uint64_t{5}, std::uint64_t{1} << 62, 4);
  refused(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 3);
  refused(std::int64_t{0}, std::numeric_limits<std::int64_t>::min(), 2);
  auto bytes = to_space(space, std::vector<std::uint8_t>(300));
  CHECK_THROWS_WITH_AS(tandem::iota(space, bytes),
                       "iota: element 256 of 300, 0 + i * 1, is outside the range of x's type, 0 "
                       "to 255",
                       tandem::argument_error);
}

TEST_CASE_TEMPLATE("iota: first and step are numbers, and only elements have to fit", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto bytes = to_space(space, std::vector<std::uint8_t>(2, 7));
  CHECK_THROWS_WITH_AS(tandem::iota(space, bytes, 300),
                       "iota: first (300) is outside the range of the type that holds it, 0 to 255",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::iota(space, bytes, -1), tandem::argument_error);
  CHECK_THROWS_AS(tandem::iota(space, bytes, 1, 256), tandem::argument_error);
  CHECK_THROWS_AS(tandem::iota(space, bytes, 0, -1), tandem::argument_error);
  CHECK(to_host(space, bytes) == std::vector<std::uint8_t>{7, 7});
  tandem::iota(space, bytes, 200, -1);
  CHECK(to_host(space, bytes) == std::vector<std::uint8_t>{200, 199});
  tandem::iota(space, bytes, std::int64_t{0}, std::int64_t{255});
  CHECK(to_host(space, bytes) == std::vector<std::uint8_t>{0, 255});

  auto down = to_space(space, std::vector<unsigned>(11));
  tandem::iota(space, down, 10, -1);
  CHECK(to_host(space, down) == std::vector<unsigned>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  auto below = to_space(space, std::vector<unsigned>(12));
  CHECK_THROWS_AS(tandem::iota(space, below, 10, -1), tandem::argument_error);

  auto one = to_space(space, std::vector<std::int8_t>(1));
  tandem::iota(space, one, -128, std::numeric_limits<std::int64_t>::min());
  CHECK(to_host(space, one) == std::vector<std::int8_t>{-128});
  CHECK_THROWS_AS(tandem::iota(space, one, 128u), tandem::argument_error);
  auto none = to_space(space, std::vector<std::int8_t>{});
  tandem::iota(space, none, 300, 300);
}

TEST_CASE_TEMPLATE("iota: floating point is computed in double and rounded once", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = (std::size_t{1} << 24) / 64 + 3;
  auto x = to_space(space, std::vector<float>(n));
  tandem::iota(space, x, -1.0f, 0.1f);
  auto integers = to_space(space, std::vector<float>(5));
  tandem::iota(space, integers, 3, -2);
  CHECK(to_host(space, integers) == std::vector<float>{3, 1, -1, -3, -5});
  auto h = to_space(space, std::vector<tandem::half>(100));
  tandem::iota(space, h, tandem::half(1.0f), tandem::half(-0.5f));
  const auto xs = to_host(space, x);
  for (std::size_t i = 0; i < n; ++i)
    REQUIRE(xs[i] == static_cast<float>(-1.0 + static_cast<double>(i) * double{0.1f}));
  const auto hs = to_host(space, h);
  for (int i = 0; i < 100; ++i)
    REQUIRE(float(hs[static_cast<std::size_t>(i)]) == 1.0f - 0.5f * static_cast<float>(i));
}

TEST_CASE_TEMPLATE("iota, reverse and adjacent_difference: strided views", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>(21, -1));
  const auto odd = tandem::subview(x.view(), slice{1, 20, -2});
  tandem::iota(space, odd, 3, 2);
  tandem::reverse(space, odd);
  auto y = to_space(space, std::vector<int>(30, -1));
  const auto third = tandem::subview(y.view(), slice{0, 30, 3});
  tandem::adjacent_difference(space, odd, third);
  const auto xs = to_host(space, x);
  const auto ys = to_host(space, y);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(xs[2 * i] == -1);
    CHECK(xs[2 * i + 1] == 3 + 2 * static_cast<int>(i));
    CHECK(ys[3 * i] == (i == 0 ? 21 : -2));
    CHECK(ys[3 * i + 1] == -1);
  }
}

TEST_CASE_TEMPLATE("reverse: in place and into another array, at every size and with every bit",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    CAPTURE(n);
    auto wanted = hostile_values<double>(n, 4);
    auto x = to_space(space, wanted);
    auto out = to_space(space, wanted);
    tandem::reverse(space, x, out);
    tandem::reverse(space, x);
    std::reverse(wanted.begin(), wanted.end());
    CHECK(first_difference(to_host(space, out), wanted) == -1);
    CHECK(first_difference(to_host(space, x), wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("adjacent_difference: as std::adjacent_difference, and a scan takes it back",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    CAPTURE(n);
    const auto floats = hostile_values<float>(n, 4);
    std::vector<float> wanted(n);
    std::adjacent_difference(floats.begin(), floats.end(), wanted.begin());
    auto x = to_space(space, floats);
    auto y = to_space(space, floats);
    tandem::adjacent_difference(space, x, y);
    CHECK(first_difference(to_host(space, y), wanted) == -1);
    const auto integers = random_values<std::int64_t>(n, n);
    auto whole = to_space(space, integers);
    auto steps = to_space(space, integers);
    tandem::adjacent_difference(space, whole, steps);
    tandem::parallel_scan(space, steps, steps);
    CHECK(to_host(space, steps) == integers);
  }
}

TEST_CASE_TEMPLATE("adjacent_difference: in y's type, or any operation of neighbours", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto bytes = to_space(space, std::vector<std::uint8_t>{3, 5, 1, 255});
  auto wide = to_space(space, std::vector<std::int32_t>(4));
  tandem::adjacent_difference(space, bytes, wide);
  CHECK(to_host(space, wide) == std::vector<std::int32_t>{3, 2, -4, 254});
  tandem::adjacent_difference(space, bytes, wide, sum_of_both{});
  CHECK(to_host(space, wide) == std::vector<std::int32_t>{3, 13, 7, 511});
}

TEST_CASE_TEMPLATE("iota, reverse and adjacent_difference: what they refuse", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>(100, 1));
  const auto head = tandem::subview(x.view(), slice{0, 60});
  const auto tail = tandem::subview(x.view(), slice{40, 100});
  using Memory = typename decltype(x)::memory_type;
  const tandem::view<int, 1, tandem::layout_stride, Memory> one_place(
      x.data_handle(), tandem::layout_stride::mapping<1>({10}, {0}));
  const tandem::view<int, 1, tandem::layout_right, Memory> nowhere(nullptr, tandem::extents<1>(5));
  using tandem::argument_error;
  CHECK_THROWS_WITH_AS(tandem::iota(space, one_place), "iota: x overlaps itself", argument_error);
  CHECK_THROWS_WITH_AS(tandem::iota(space, nowhere), "iota: x has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, one_place), "reverse: x overlaps itself",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, head, tail),
                       "reverse: x and out overlap; reverse(space, x) works in place",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::adjacent_difference(space, x, x),
                       "adjacent_difference: x and y overlap", argument_error);
  CHECK_THROWS_WITH_AS(tandem::adjacent_difference(space, head, x),
                       "adjacent_difference: extent 0 of x (60) != extent 0 of y (100)",
                       tandem::extent_error);
  auto other = to_space(space, std::vector<int>(10, 2));
  const auto five = tandem::subview(x.view(), slice{0, 5});
  const char* const no_memory = " has 5 elements but no memory (null)";
  const auto without_memory = [&](const char* operand) { return std::string(operand) + no_memory; };
  CHECK_THROWS_WITH_AS(tandem::reverse(space, other, one_place), "reverse: out overlaps itself",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, head, other),
                       "reverse: extent 0 of x (60) != extent 0 of out (10)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, nowhere), without_memory("reverse: x").c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, nowhere, five), without_memory("reverse: x").c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(space, five, nowhere),
                       without_memory("reverse: out").c_str(), argument_error);
  CHECK_THROWS_WITH_AS(tandem::adjacent_difference(space, other, one_place),
                       "adjacent_difference: y overlaps itself", argument_error);
  CHECK_THROWS_WITH_AS(tandem::adjacent_difference(space, nowhere, five),
                       without_memory("adjacent_difference: x").c_str(), argument_error);
  CHECK_THROWS_WITH_AS(tandem::adjacent_difference(space, five, nowhere),
                       without_memory("adjacent_difference: y").c_str(), argument_error);
  CHECK(to_host(space, x) == std::vector<int>(100, 1));
}
