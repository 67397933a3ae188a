// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

using namespace tandem::test;

namespace {

/// Computes the permutation by the definition: the indices in a stable order of their keys.
std::vector<int> expected_permutation(int n, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return tandem::philox64(seed, static_cast<std::uint64_t>(a)) <
           tandem::philox64(seed, static_cast<std::uint64_t>(b));
  });
  return order;
}

template <class Backend>
std::vector<int> permuted(int n, std::uint64_t seed) {
  const auto space = Backend::make();
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(n), space);
  tandem::random_permutation(space, x, seed);
  return to_host(space, x);
}

}  // namespace

TEST_CASE_TEMPLATE("permutation: indices in the order of their keys, for any n", Backend,
                   TANDEM_TEST_BACKENDS) {
  for (const int n : {0, 1, 2, 33, 1025, 70001})
    CHECK(permuted<Backend>(n, 5) == expected_permutation(n, 5));
}

TEST_CASE_TEMPLATE("permutation: shuffle moves elements of any type to the permutation's places",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<double>(5000, 1);
  auto x = to_space(space, values);
  tandem::shuffle(space, x, 9);
  const auto order = expected_permutation(5000, 9);
  const auto got = to_host(space, x);
  bool right = true;
  for (std::size_t i = 0; i < got.size(); ++i)
    right &= got[i] == values[static_cast<std::size_t>(order[i])];
  CHECK(right);
}

TEST_CASE_TEMPLATE("permutation: each order of four elements is as frequent as the others", Backend,
                   TANDEM_TEST_BACKENDS) {
  std::vector<double> counts(256);
  constexpr int draws = 4800;
  for (int seed = 0; seed < draws; ++seed) {
    const auto order = permuted<Backend>(4, static_cast<std::uint64_t>(seed));
    ++counts[static_cast<std::size_t>(order[0] + 4 * order[1] + 16 * order[2] + 64 * order[3])];
  }
  constexpr double wanted = draws / 24.0;
  double chi_square = 0;
  for (const double count : counts) {
    if (count > 0) chi_square += (count - wanted) * (count - wanted) / wanted;
  }
  CHECK(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }) == 24);
  CHECK(std::abs(chi_square - 23) < 5 * std::sqrt(46.0));
}

TEST_CASE_TEMPLATE("permutation: what it refuses", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<std::int8_t, 1, typename Backend::space> x(tandem::extents<1>(129), std::int8_t{3},
                                                           space);
  CHECK_THROWS_WITH_AS(tandem::random_permutation(space, x, 1),
                       "random_permutation: last index (128) > largest element (127)",
                       tandem::extent_error);
  const auto every_other = tandem::subview(x.view(), tandem::slice{0, 128, 2});
  CHECK_THROWS_WITH_AS(tandem::shuffle(space, every_other, 1), "shuffle: x has stride 2, not 1",
                       tandem::argument_error);
  CHECK(to_host(space, x) == std::vector<std::int8_t>(129, 3));
}
