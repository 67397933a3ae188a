// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose bits do not depend on the order: cells of order_free_sum, and scatter_add.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/documented_sums.hpp"

using namespace tandem::test;
using tandem::order_free_sum;
using tandem::slice;

namespace {

/// Adds values to cells by index, as a user's kernel would.
template <class Cells, class Indices, class Values, class Scale>
struct add_terms {
  Cells cells;
  Indices indices;
  Values values;
  Scale scale;

  TANDEM_FUNCTION void operator()(tandem::index_t i) const {
    cells(indices(i)).add(scale, values(i));
  }
};

template <class Cells, class Indices, class Values, class Scale>
add_terms(Cells, Indices, Values, Scale) -> add_terms<Cells, Indices, Values, Scale>;

template <class Cells>
struct empty_cells {
  Cells cells;

  TANDEM_FUNCTION void operator()(tandem::index_t i) const { cells(i) = {}; }
};

template <class Cells, class Out, class Scale>
struct take_values {
  Cells cells;
  Out out;
  Scale scale;

  TANDEM_FUNCTION void operator()(tandem::index_t i) const { out(i) = cells(i).value(scale); }
};
template <class Cells, class Out, class Scale>
take_values(Cells, Out, Scale) -> take_values<Cells, Out, Scale>;

/// Adds values by index to cells of a space and returns the sums.
template <class T, class Space>
std::vector<T> sums_of_cells(const Space& space, const std::vector<int>& at,
                             const std::vector<T>& terms, T bound, tandem::index_t cells) {
  const auto scale = order_free_sum<T>::scale(bound, static_cast<tandem::index_t>(at.size()));
  auto indices = to_space(space, at);
  auto values = to_space(space, terms);
  tandem::array<order_free_sum<T>, 1, Space> sums(tandem::extents<1>(cells), space);
  tandem::array<T, 1, Space> out(tandem::extents<1>(cells), space);
  const auto c = sums.view();
  tandem::parallel_for(space, cells, empty_cells<decltype(c)>{c});
  tandem::parallel_for(space, static_cast<tandem::index_t>(at.size()),
                       add_terms{c, indices.const_view(), values.const_view(), scale});
  tandem::parallel_for(space, cells, take_values{c, out.view(), scale});
  return to_host(space, out);
}

template <class T>
std::vector<T> documented(const std::vector<int>& at, const std::vector<T>& terms, double bound,
                          std::size_t cells) {
  documented_sums<T> sums(bound, terms.size(), cells);
  for (std::size_t i = 0; i < terms.size(); ++i)
    sums.add(static_cast<std::size_t>(at[i]), terms[i]);
  std::vector<T> result(cells);
  for (std::size_t c = 0; c < cells; ++c) result[c] = sums.value(c);
  return result;
}

/// Merges one cell into another, on one thread.
template <class Cells>
struct merge_cells {
  Cells cells;
  int from;
  int to;

  TANDEM_FUNCTION void operator()(tandem::index_t) const {
    const auto other = cells(from);
    cells(to).merge(other);
  }
};

template <class T, class Space>
void check_scatter(const Space& space, std::size_t n, std::size_t cells, bool hot) {
  CAPTURE(n);
  CAPTURE(cells);
  auto at = random_below<int>(n, static_cast<std::uint64_t>(cells), 5);
  if (hot) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 5 != 0) at[i] = at[0];
    }
  }
  const auto terms = random_values<T>(n, 6);
  const auto before = random_values<T>(cells, 7);
  auto wanted = before;
  const auto sums = documented_scatter(at, terms, cells);
  for (std::size_t c = 0; c < cells; ++c) {
    if (sums[c] != 0) wanted[c] += sums[c];
  }
  CHECK(first_difference(scattered(space, at, terms, before), wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("order_free_sum: cells have the documented bits, in every order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const std::size_t n = 20011;
    auto at = random_below<int>(n, 7, 1);
    auto terms = random_values<T>(n, 2);
    for (T& v : terms) v = std::clamp(v, T(-50), T(50));
    const auto wanted = documented(at, terms, 50, 7);
    CHECK(first_difference(sums_of_cells(space, at, terms, T(50), 7), wanted) == -1);
    std::reverse(at.begin(), at.end());
    std::reverse(terms.begin(), terms.end());
    CHECK(first_difference(sums_of_cells(space, at, terms, T(50), 7), wanted) == -1);
  };
  check(float{});
  check(double{});
}

TEST_CASE_TEMPLATE("order_free_sum: what is not finite or beyond the bound decides the value",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const T inf = std::numeric_limits<T>::infinity();
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const std::vector<int> at = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6};
    // A scale for a bound of 3 accepts magnitudes up to 4.
    const std::vector<T> terms = {
        1, nan, inf, 2, -inf, -inf, inf, -inf, std::nextafter(T(4), inf), 1, T(-4), T(-0.0)};
    const auto got = sums_of_cells(space, at, terms, T(3), 8);
    CHECK(std::isnan(got[0]));
    CHECK(got[1] == inf);
    CHECK(got[2] == -inf);
    CHECK(std::isnan(got[3]));
    CHECK(std::isnan(got[4]));
    CHECK(got[5] == T(-4));
    CHECK(got[6] == 0);
    CHECK(!std::signbit(got[6]));
    CHECK(got[7] == 0);
  };
  check(float{});
  check(double{});
}

TEST_CASE_TEMPLATE("order_free_sum: 2^40 terms of the bound do not overflow", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero, auto term) {
    using T = decltype(zero);
    const auto terms = tandem::index_t{1} << 40;
    // The largest term that the scale accepts, which has the largest part.
    const auto scale = order_free_sum<T>::scale(T(1), terms);
    tandem::array<order_free_sum<T>, 1, typename Backend::space> cells(tandem::extents<1>(2),
                                                                       space);
    tandem::array<T, 1, typename Backend::space> out(tandem::extents<1>(2), space);
    auto indices = to_space(space, std::vector<int>{0});
    auto values = to_space(space, std::vector<T>{term});
    const auto c = cells.view();
    tandem::parallel_for(space, 2, empty_cells<decltype(c)>{c});
    tandem::parallel_for(space, 1, add_terms{c, indices.const_view(), values.const_view(), scale});
    // The cell is merged into itself, which doubles the number of terms each time.
    for (int doubling = 0; doubling < 20; ++doubling) {
      tandem::parallel_for(space, 1, merge_cells<decltype(c)>{c, 0, 0});
      tandem::parallel_for(space, 1, merge_cells<decltype(c)>{c, 0, 0});
    }
    tandem::parallel_for(space, 2, take_values{c, out.view(), scale});
    documented_sums<T> sums(1, std::uint64_t{1} << 40, 1);
    sums.add(0, term);
    sums.multiply(0, std::uint64_t{1} << 40);
    const auto got = to_host(space, out);
    CHECK(got[0] == sums.value(0));
    CHECK(std::fabs(std::ldexp(static_cast<double>(got[0]), -40) - static_cast<double>(term)) <=
          std::ldexp(1.0, sizeof(T) == 4 ? -22 : -44));
    CHECK(got[1] == 0);
  };
  for (const int sign : {1, -1}) {
    check(float{}, static_cast<float>(sign));
    check(double{}, static_cast<double>(sign));
  }
}

TEST_CASE("order_free_sum: a scale of no bound or no terms is refused") {
  CHECK_THROWS_AS(order_free_sum<float>::scale(-1.0f, 1), tandem::argument_error);
  CHECK_THROWS_AS(order_free_sum<float>::scale(std::numeric_limits<float>::infinity(), 1),
                  tandem::argument_error);
  CHECK_THROWS_AS(order_free_sum<double>::scale(std::numeric_limits<double>::quiet_NaN(), 1),
                  tandem::argument_error);
  CHECK_THROWS_AS(order_free_sum<double>::scale(1, 0), tandem::argument_error);
  CHECK_THROWS_AS(order_free_sum<double>::scale(1, (tandem::index_t{1} << 62) + 1),
                  tandem::argument_error);
  CHECK(order_free_sum<float>::scale(0.0f, 1).holds(0.0f));
  CHECK(!order_free_sum<double>::scale(std::numeric_limits<double>::max(), 5)
             .holds(std::numeric_limits<double>::infinity()));
  CHECK(order_free_sum<double>::scale(std::numeric_limits<double>::max(), 5)
            .holds(std::numeric_limits<double>::max()));
  CHECK(order_free_sum<float>::scale(std::numeric_limits<float>::max(), 5)
            .holds(-std::numeric_limits<float>::max()));
}

TEST_CASE_TEMPLATE("scatter_add: floats have the documented bits, in few, many and hot cells",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    if (n > 0) check_scatter<float>(space, n, 10, false);
  }
  for (const std::size_t cells : {1ul, 300ul, 5000ul, 60000ul, 500000ul}) {
    for (const bool hot : {false, true}) {
      check_scatter<float>(space, 70001, cells, hot);
      check_scatter<double>(space, 70001, cells, hot);
    }
  }
  check_scatter<float>(space, (std::size_t{1} << 22) + 3, 400000, true);
}

TEST_CASE_TEMPLATE("scatter_add: integers of all widths, added modulo 2^32 and 2^64", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto value, auto index) {
    using T = decltype(value);
    const std::size_t n = 30011;
    const auto at = random_below<decltype(index)>(n, 100, 8);
    const auto terms = random_values<T>(n, 9);
    const auto before = random_values<T>(120, 10);
    auto wanted = before;
    for (std::size_t i = 0; i < n; ++i) {
      T& to = wanted[static_cast<std::size_t>(at[i])];
      to = static_cast<T>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(terms[i]));
    }
    CHECK(scattered(space, at, terms, before) == wanted);
  };
  check(std::int32_t{}, std::int8_t{});
  check(std::uint32_t{}, std::uint16_t{});
  check(std::int64_t{}, std::int64_t{});
  check(std::uint64_t{}, std::uint32_t{});
}

TEST_CASE_TEMPLATE("scatter_add: infinities, NaN, and elements that get nothing", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::int64_t> at = {0, 1, 2, 2, 3, 5, 5};
  const std::vector<float> terms = {std::nanf(""), inf, inf, -inf, -inf, 7, -7};
  const auto got = scattered(space, at, terms, {1, 1, 1, 1, -0.0f, -0.0f});
  CHECK(std::isnan(got[0]));
  CHECK(got[1] == inf);
  CHECK(std::isnan(got[2]));
  CHECK(got[3] == -inf);
  CHECK(std::signbit(got[4]));  // nothing was added
  CHECK(std::signbit(got[5]));  // zero was
}

TEST_CASE_TEMPLATE("scatter_add: strided operands, windows and empty ones", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    auto indices = to_space(space, std::vector<int>{2, 9, 0, 9, 2, 9});
    auto values = to_space(space, std::vector<T>{T(30), T(9), T(9), T(20), T(9), T(9), T(1)});
    auto out = to_space(space, std::vector<T>(5, T(1)));
    tandem::scatter_add(space, tandem::subview(indices.view(), slice{0, 6, 2}),
                        tandem::subview(values.view(), slice{0, 7, -3}),
                        tandem::subview(out.view(), slice{1, 4}));
    CHECK(to_host(space, out) == std::vector<T>{T(1), T(21), T(1), T(32), T(1)});
    tandem::array<int, 1, typename Backend::space> none(tandem::extents<1>(0), space);
    tandem::array<T, 1, typename Backend::space> nothing(tandem::extents<1>(0), space);
    tandem::scatter_add(space, none, nothing, out);
    CHECK(to_host(space, out) == std::vector<T>{T(1), T(21), T(1), T(32), T(1)});
  };
  check(float{});
  check(double{});
  check(int{});
}

TEST_CASE_TEMPLATE("scatter_add: an index that is out of range is refused or left out", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> before(5, T(1));
    auto memory = to_space(space, before);
    auto indices = to_space(space, std::vector<int>{0, 3, -1, 1, 2147483647});
    auto values = to_space(space, std::vector<T>{T(1), T(2), T(4), T(8), T(16)});
    const auto out = tandem::subview(memory.view(), slice{1, 4});
    if (TANDEM_CHECKED > 0) {
      CHECK_THROWS_WITH_AS(tandem::scatter_add(space, indices, values, out),
                           "scatter_add: index number 1 is outside out, which has extent 3",
                           tandem::extent_error);
      CHECK(to_host(space, memory) == before);
    } else {
      tandem::scatter_add(space, indices, values, out);
      CHECK(to_host(space, memory) == std::vector<T>{T(1), T(2), T(9), T(1), T(1)});
    }
  };
  check(float{});
  check(double{});
  check(std::int64_t{});
}

TEST_CASE_TEMPLATE("scatter_add: operands that do not fit are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto indices = to_space(space, std::vector<int>{0, 1, 2});
  auto values = to_space(space, std::vector<float>{1, 2, 3});
  auto out = to_space(space, std::vector<float>{1, 1, 1, 1, 1, 1});
  CHECK_THROWS_WITH_AS(
      tandem::scatter_add(space, indices, tandem::subview(values.view(), slice{0, 2}), out),
      "scatter_add: extent 0 of indices (3) != extent 0 of values (2)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::scatter_add(space, indices, values, tandem::subview(out.view(), slice{0, 6, 2})),
      "scatter_add: out is not contiguous", tandem::argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::scatter_add(space, indices, tandem::subview(out.view(), slice{0, 3}), out),
      "scatter_add: values and out overlap", tandem::argument_error);
  CHECK(to_host(space, out) == std::vector<float>(6, 1.0f));
}
