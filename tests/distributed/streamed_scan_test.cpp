// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of operands of the host that pass through a space in chunks have the bits of serial,
// whatever the budget.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

namespace {

/// A product of two elements, one of which a matrix has in its last column.
struct product_of_row {
  template <class X, class M>
  TANDEM_FUNCTION double operator()(tandem::index_t i, const X& x, const M& m) const {
    return static_cast<double>(x(i)) * m(i, 2);
  }
};

struct cube {
  TANDEM_FUNCTION std::int64_t operator()(tandem::index_t i) const { return i * i * i; }
};

std::vector<std::size_t> budgets() {
  return {std::size_t{300} << 10, std::size_t{1} << 20, std::size_t{3} << 20, std::size_t{8} << 30};
}

/// Calls check(streamed) for the budgets, over a space and over a group.
template <class Space, class Check>
void for_each_stream(const Check& check) {
  for (const std::size_t budget : budgets()) {
    check(tandem::streamed(Space(), {.budget = budget}));
    check(tandem::streamed(tandem::shards<Space>(2), {.budget = 2 * budget}));
  }
}

template <class Space, class T, class Operation, class... From>
void check_scan(std::size_t n, const Operation& operation, const From&... from) {
  const auto values = random_values<T>(n, 9);
  std::vector<T> wanted(n);
  tandem::parallel_scan(tandem::serial{}, values, wanted, operation, from...);
  for_each_stream<Space>([&](const auto& big) {
    std::vector<T> y(n);
    tandem::parallel_scan(big, values, y, operation, from...);
    CHECK(first_difference(y, wanted) == -1);
    y = values;
    tandem::parallel_scan(big, y, y, operation, from...);
    CHECK(first_difference(y, wanted) == -1);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("streamed: scans of elements, inclusive and exclusive", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  for (const unsigned n : {0u, 1u, 4096u, 4097u, 300007u})
    check_scan<Space, float>(n, tandem::sum{});
  check_scan<Space, double>(300007, tandem::sum{}, tandem::exclusive{0.5});
  check_scan<Space, std::int64_t>(100003, tandem::sum{}, tandem::exclusive{std::int64_t{7}});
  check_scan<Space, float>(100003, tandem::with_initial(tandem::sum{}, 3.0f));
  check_scan<Space, double>(100003, tandem::minimum{});
}

TEST_CASE_TEMPLATE("streamed: scans of strided operands of the host", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  constexpr tandem::index_t n = 50021;
  const auto values = random_values<float>(3 * n, 10);
  const auto column = []<class T>(T* data, tandem::index_t columns) {
    const tandem::view<T, 2, tandem::layout_right, tandem::host_memory> all(data, {n, columns});
    return tandem::subview(all, tandem::all, 1);
  };
  std::vector<float> wanted(2 * n, 5.0f);
  tandem::parallel_scan(tandem::serial{}, column(values.data(), 3), column(wanted.data(), 2));
  for_each_stream<Space>([&](const auto& big) {
    std::vector<float> found(2 * n, 5.0f);
    tandem::parallel_scan(big, column(values.data(), 3), column(found.data(), 2));
    CHECK(first_difference(found, wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("streamed: scans of terms", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  constexpr tandem::index_t n = 50021;
  const auto x = random_values<float>(n, 11);
  const auto elements = random_values<float>(3 * n, 12);
  const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> rows(
      elements.data(), {n, 3});
  std::vector<double> wanted(n);
  std::vector<double> before(n);
  std::vector<std::int64_t> cubes(n);
  const tandem::serial serial;
  tandem::parallel_scan(serial, n, product_of_row{}, wanted, tandem::sum{}, x, rows);
  tandem::parallel_scan(serial, n, product_of_row{}, before, tandem::sum{}, tandem::exclusive{1.5},
                        x, rows);
  tandem::parallel_scan(serial, tandem::range{-5, n - 5}, cube{}, cubes);
  for_each_stream<Space>([&](const auto& big) {
    std::vector<double> y(n);
    tandem::parallel_scan(big, n, product_of_row{}, y, tandem::sum{}, x, rows);
    CHECK(first_difference(y, wanted) == -1);
    tandem::parallel_scan(big, n, product_of_row{}, y, tandem::sum{}, tandem::exclusive{1.5}, x,
                          rows);
    CHECK(first_difference(y, before) == -1);
    std::vector<std::int64_t> z(n);
    tandem::parallel_scan(big, tandem::range{-5, n - 5}, cube{}, z);
    CHECK(first_difference(z, cubes) == -1);
  });
}

TEST_CASE_TEMPLATE("streamed: what scans refuse", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::streamed big(space, {.budget = 90000});
  std::vector<float> x(20011);
  std::vector<float> y(20011);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(big, x, y),
                       "parallel_scan: 90000 bytes of budget are 3 buffers of 3750 rows, and a "
                       "chunk has at least 4096: 98304 bytes",
                       tandem::argument_error);
  const tandem::streamed enough(space);
  std::vector<float> shorter(20010);
  CHECK_THROWS_AS(tandem::parallel_scan(enough, x, shorter), tandem::extent_error);
  const auto part = [&](std::ptrdiff_t begin) {
    return tandem::view<float, 1, tandem::layout_right, tandem::host_memory>(x.data() + begin, 99);
  };
  CHECK_THROWS_AS(tandem::parallel_scan(enough, part(0), part(1)), tandem::argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_scan(enough, tandem::range{1, 20012}, product_of_row{},
                            std::vector<double>(20011), tandem::sum{}, x,
                            tandem::array<float, 2, tandem::serial>({20012, 3})),
      "parallel_scan: the indices are rows of the operands of the host, and begin at 0",
      tandem::argument_error);
}

TEST_CASE_TEMPLATE("out of memory: streamed scans", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(20011, 1);
  const tandem::streamed big(space, {.budget = 1 << 17});
  std::vector<float> y(values.size());
  check_out_of_memory("", space, [&] { tandem::parallel_scan(big, values, y); });
}
