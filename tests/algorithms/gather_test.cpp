// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares gather and scatter with plain loops.

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::slice;

namespace {

/// Returns the numbers below n in an order that depends on the seed.
template <class Index>
std::vector<Index> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[mix(seed ^ i) % i]);
  return order;
}

}  // namespace

TEST_CASE_TEMPLATE("gather: out(i) is x(indices(i)), at every size, and scatter puts it back",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    CAPTURE(n);
    const auto values = hostile_values<float>(n, 4);
    const auto order = shuffled<std::uint32_t>(n, n);
    auto x = to_space(space, values);
    auto indices = to_space(space, order);
    auto out = to_space(space, std::vector<float>(n));
    tandem::gather(space, x, indices, out);
    std::vector<float> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = values[order[i]];
    CHECK(first_difference(to_host(space, out), wanted) == -1);
    auto back = to_space(space, std::vector<float>(n, 7.0f));
    tandem::scatter(space, out, indices, back);
    CHECK(first_difference(to_host(space, back), values) == -1);
  }
}

TEST_CASE_TEMPLATE("gather: repeated indices, strided views, indices of any integer type", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<std::int64_t>(101, 1);
  const auto order = random_below<std::uint8_t>(3000, 34, 2);
  auto x = to_space(space, values);
  auto indices = to_space(space, order);
  auto out = to_space(space, std::vector<std::int64_t>(2000, -1));
  const auto every_third = tandem::subview(x.const_view(), slice{0, 101, -3});  // 34 of them
  tandem::gather(space, every_third, tandem::subview(indices.view(), slice{0, 3000, 3}),
                 tandem::subview(out.view(), slice{1, 2000, 2}));
  const auto got = to_host(space, out);
  for (std::size_t i = 0; i < 1000; ++i) {
    REQUIRE(got[2 * i] == -1);
    REQUIRE(got[2 * i + 1] == values[static_cast<std::size_t>(100 - 3 * order[3 * i])]);
  }
}

TEST_CASE_TEMPLATE("scatter: elements that no index names stay, out may be longer than x", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<double>{1, 2, 3});
  auto indices = to_space(space, std::vector<int>{5, 0, 2});
  auto out = to_space(space, std::vector<double>(6, -1));
  tandem::scatter(space, x, indices, out);
  CHECK(to_host(space, out) == std::vector<double>{2, -1, 3, -1, -1, 1});
}

TEST_CASE_TEMPLATE("gather and scatter: what they refuse, in bytes and under their own names",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>(100, 1));
  auto indices = to_space(space, std::vector<int>(50, 0));
  auto out = to_space(space, std::vector<int>(50, 3));
  const auto head = tandem::subview(x.view(), slice{0, 50});
  const auto tail = tandem::subview(x.view(), slice{50, 100});
  CHECK_THROWS_WITH_AS(tandem::gather(space, x, indices, head), "gather: x and out overlap",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::gather(space, x, indices, indices),
                       "gather: indices and out overlap", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::scatter(space, head, indices, x), "scatter: x and out overlap",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::gather(space, head, indices, tandem::subview(out.view(), slice{9})),
                       "gather: extent 0 of indices (50) != extent 0 of out (9)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::scatter(space, x, indices, out),
                       "scatter: extent 0 of x (100) != extent 0 of indices (50)",
                       tandem::extent_error);
  const tandem::view<int, 1, tandem::layout_right, typename decltype(out)::memory_type> nowhere(
      nullptr, tandem::extents<1>(50));
  CHECK_THROWS_WITH_AS(tandem::scatter(space, head, nowhere, out),
                       "scatter: indices has 50 elements but no memory (null)",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::gather(space, nowhere, indices, out),
                       "gather: x has 50 elements but no memory (null)", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::gather(space, head, indices, nowhere),
                       "gather: out has 50 elements but no memory (null)", tandem::argument_error);
  const tandem::view<int, 1, tandem::layout_stride, typename decltype(out)::memory_type> one_place(
      out.data_handle(), tandem::layout_stride::mapping<1>({50}, {0}));
  CHECK_THROWS_WITH_AS(tandem::gather(space, head, indices, one_place),
                       "gather: out overlaps itself", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::scatter(space, head, indices, one_place),
                       "scatter: out overlaps itself", tandem::argument_error);
  CHECK_NOTHROW(tandem::gather(space, head, indices, tail));
  CHECK(to_host(space, out) == std::vector<int>(50, 3));
}

#if TANDEM_CHECKED
TEST_CASE("gather and scatter: a checked build names the view that an index misses") {
  const tandem::serial space;
  std::vector<float> x(10);
  std::vector<float> out(3, 1.0f);
  for (const std::vector<int>& indices : {std::vector<int>{0, 10, 2}, std::vector<int>{-1, 0, 0}}) {
    CHECK_THROWS_WITH_AS(tandem::gather(space, x, indices, out), doctest::Contains("gather: x"),
                         tandem::extent_error);
    CHECK_THROWS_WITH_AS(tandem::scatter(space, out, indices, x), doctest::Contains("scatter: out"),
                         tandem::extent_error);
  }
}
#endif
