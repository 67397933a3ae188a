// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial values of reductions and scans, which unlike identities count exactly once.

#include <cstdint>
#include <limits>
#include <vector>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::with_initial;

namespace {

constexpr double start = 0.7;

/// The sum of n terms with an initial value, from a view, a function and a grid, by value and in
/// memory of the space.
template <class T, class Space>
void check_sum(const Space& space, index_t n) {
  CAPTURE(n);
  const auto x = to_space(space, random_values<T>(static_cast<std::size_t>(n), 5));
  const auto v = x.const_view();
  const auto f = TANDEM_LAMBDA(index_t i) { return v(i); };
  const auto plane = TANDEM_LAMBDA(index_t j, index_t i) { return v(3 * j + i); };
  const tandem::grid grid{n / 3, 3};
  const T first = static_cast<T>(start);
  const auto reducer = with_initial(tandem::sum{}, first);
  const T wanted = n == 0 ? first : first + tandem::parallel_reduce(space, v);
  const T on_grid = n < 3 ? first : first + tandem::parallel_reduce(space, grid, plane);
  CHECK(same_bits(tandem::parallel_reduce(space, v, reducer), wanted));
  CHECK(same_bits(tandem::parallel_reduce(space, n, f, reducer), wanted));
  CHECK(same_bits(tandem::parallel_reduce(space, grid, plane, reducer), on_grid));
  tandem::array<T, 1, Space> out({2}, space);
  tandem::parallel_reduce_into(space, v, reducer, tandem::subview(out.view(), 0));
  tandem::parallel_reduce_into(space, n, f, reducer, tandem::subview(out.view(), 1));
  const auto results = to_host(space, out);
  CHECK(same_bits(results[0], wanted));
  CHECK(same_bits(results[1], wanted));
}

/// The inclusive scan with an initial value: that of the terms of which the first is start op x[0].
template <class T, class Space, class Reducer>
void check_scan(const Space& space, std::size_t n, const Reducer& reducer) {
  CAPTURE(n);
  const tandem::serial reference;
  const auto values = random_values<T>(n, 9);
  auto started = values;
  if (n > 0) started[0] = reducer.combine(static_cast<T>(start), values[0]);
  std::vector<T> wanted(n);
  tandem::parallel_scan(reference, started, wanted, reducer);
  const auto with = with_initial(reducer, static_cast<T>(start));
  auto x = to_space(space, values);
  auto y = to_space(space, std::vector<T>(n));
  tandem::parallel_scan(space, x, y, with);
  CHECK(first_difference(to_host(space, y), wanted) == -1);
  const auto v = x.const_view();
  auto of_terms = to_space(space, std::vector<T>(n));
  tandem::parallel_scan(
      space, static_cast<index_t>(n), TANDEM_LAMBDA(index_t i) { return v(i); }, of_terms, with);
  CHECK(first_difference(to_host(space, of_terms), wanted) == -1);
  tandem::parallel_scan(space, x, x, with);
  CHECK(first_difference(to_host(space, x), wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("initial values: added once to a reduction, at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const index_t n : {0, 1, 2, 31, 33, 1023, 1025, 5111, 65536, 300'007, 1'048'583}) {
    check_sum<float>(space, n);
    check_sum<double>(space, n);
  }
}

TEST_CASE_TEMPLATE("initial values: no identity of the operation", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto one = TANDEM_LAMBDA(int) { return 1; };
  const auto eight = TANDEM_LAMBDA(int) { return 8; };
  const auto highest = tandem::reduction{TANDEM_LAMBDA(int a, int b){return a > b ? a : b;
}
, std::numeric_limits<int>::min()
}
;
for (const int n : {0, 1, 7, 5000, 200'000}) {
  CAPTURE(n);
  CHECK(tandem::parallel_reduce(space, n, one, with_initial(tandem::sum{}, 10)) == 10 + n);
  CHECK(tandem::parallel_reduce(space, n, one, with_initial(tandem::product{}, 3)) == 3);
  CHECK(tandem::parallel_reduce(space, n, one, with_initial(highest, 5)) == 5);
  CHECK(tandem::parallel_reduce(space, n, eight, with_initial(highest, 5)) == (n == 0 ? 5 : 8));
  CHECK(tandem::parallel_reduce(space, n, one, with_initial(tandem::sum<float>{}, 0.5)) ==
        0.5f + static_cast<float>(n));
}
const auto twice = TANDEM_LAMBDA(std::int64_t total) { return 2 * total; };
CHECK(tandem::parallel_reduce(
          space, 4, one,
          tandem::finished_reducer(with_initial(tandem::sum<std::int64_t>{}, 10), twice)) == 28);
}

TEST_CASE_TEMPLATE("initial values: once for each result of several", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto reducer = with_initial(tandem::sum<double>{}, 0.5);
  for (const int columns : {1, 40, 3000}) {
    CAPTURE(columns);
    const int rows = 7;
    auto ones = to_space(space, std::vector<double>(static_cast<std::size_t>(rows * columns), 1.0));
    const auto plane = tandem::reshape(ones.view(), rows, columns);
    auto of_rows = to_space(space, std::vector<double>(static_cast<std::size_t>(rows)));
    auto of_columns = to_space(space, std::vector<double>(static_cast<std::size_t>(columns)));
    tandem::parallel_reduce_into(space, plane, tandem::axis{1}, reducer, of_rows);
    tandem::parallel_reduce_into(space, plane, tandem::axis{0}, reducer, of_columns);
    for (const double sum : to_host(space, of_rows)) CHECK(sum == columns + 0.5);
    for (const double sum : to_host(space, of_columns)) CHECK(sum == rows + 0.5);
  }
  // Short and long segments, and one without terms.
  auto x = to_space(space, std::vector<double>(100'006, 1.0));
  auto offsets = to_space(space, std::vector<int>{0, 6, 6, 100'006});
  auto sums = to_space(space, std::vector<double>(3));
  tandem::segmented_reduce(space, x, offsets, sums, reducer);
  CHECK(to_host(space, sums) == std::vector<double>{6.5, 0.5, 100'000.5});
  auto keys = to_space(space, std::vector<int>{4, 4, 1, 7, 7, 7});
  auto runs = to_space(space, std::vector<int>(3));
  auto values = to_space(space, std::vector<double>(6, 1.0));
  CHECK(tandem::reduce_by_key(space, keys, values, runs, sums, reducer) == 3);
  CHECK(to_host(space, sums) == std::vector<double>{2.5, 1.5, 3.5});
  auto prefixes = to_space(space, std::vector<double>(6));
  tandem::parallel_scan(space, values, prefixes, with_initial(tandem::sum{}, 0.5));
  CHECK(to_host(space, prefixes) == std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5, 6.5});
}

TEST_CASE_TEMPLATE("initial values: the first term of an inclusive scan", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {0u, 1u, 16u, 17u, 4096u, 4097u, 140'001u, 1'000'003u}) {
    check_scan<float>(space, n, tandem::sum<float>{});
    check_scan<double>(space, n, tandem::minimum<double>{});
    check_scan<int>(space, n, tandem::sum<int>{});
  }
}

TEST_CASE_TEMPLATE("initial values: integers outside the range of their type are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = to_space(space, std::vector<std::uint8_t>{3, 4});
  auto y = to_space(space, std::vector<std::uint8_t>{7, 7});
  CHECK_THROWS_WITH_AS(
      (void)tandem::parallel_reduce(space, x, tandem::with_initial(tandem::maximum{}, 300)),
      "with_initial: initial (300) is outside the range of the type that holds it, 0 to 255",
      tandem::argument_error);
  CHECK_THROWS_AS((void)tandem::with_initial(tandem::maximum<std::int8_t>{}, 128),
                  tandem::argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_scan(space, x, y, tandem::maximum{}, tandem::exclusive{-1}),
      "exclusive: init (-1) is outside the range of the type that holds it, 0 to 255",
      tandem::argument_error);
  CHECK(to_host(space, y) == std::vector<std::uint8_t>{7, 7});
  tandem::parallel_scan(space, x, y, tandem::maximum{}, tandem::exclusive{std::int64_t{3}});
  CHECK(to_host(space, y) == std::vector<std::uint8_t>{3, 3});
}
