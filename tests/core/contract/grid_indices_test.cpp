// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The indices of a grid by number, as GPU threads compute them.

#include <doctest/doctest.h>

#include <initializer_list>

#include <tandem/core/contract/grid_indices.hpp>

using tandem::extents;
using tandem::index_t;
using namespace tandem::detail;

namespace {

/// Returns the number of an index: the inverse of grid_indices.
template <int Rank>
index_t number_of(const extents<Rank>& sizes, const typename grid_indices<Rank>::index& at) {
  index_t number = 0;
  for (int d = 0; d < Rank; ++d) {
    REQUIRE(at.along[d] >= 0);
    if (d > 0) REQUIRE(at.along[d] < sizes[d]);
    number = number * sizes[d] + at.along[d];
  }
  return number;
}

/// Checks the indices numbered around `number`, and those some steps after each.
template <int Rank>
void check_indices(const extents<Rank>& sizes, index_t number) {
  const grid_indices<Rank> indices(sizes);
  for (index_t n = number > 2 ? number - 2 : 0; n < number + 3; ++n) {
    const auto at = indices.at(n);
    CHECK(number_of(sizes, at) == n);
    if (!indices.has_steps()) continue;
    for (const unsigned steps : {0u, 1u, 31u, 64u, 2047u, 65535u})
      CHECK(number_of(sizes, indices.after(at, steps)) == n + steps);
  }
}

}  // namespace

TEST_CASE("grid indices: products that stand for quotients are exact") {
  for (const unsigned divisor : {1u, 2u, 3u, 5u, 7u, 40u, 100u, 127u, 641u, 65535u, 65536u,
                                 1000003u, (1u << 30) + 1, (1u << 31) - 1}) {
    const fast_divisor by = divide_by(divisor);
    for (const unsigned multiple : {0u, 1u, 2u, 1000u, ((1u << 31) - 1) / divisor}) {
      for (const unsigned offset : {0u, 1u, divisor - 1}) {
        const unsigned long long number = 1ull * multiple * divisor + offset;
        if (number >= 1ull << 31) continue;
        CHECK(by.quotient(static_cast<unsigned>(number)) == number / divisor);
      }
    }
  }
}

TEST_CASE("grid indices: each number has its index, at once and in steps") {
  for (const index_t number : {0, 1, 5, 1000, 123456, 2000000}) {
    check_indices<2>({3000, 700}, number);
    check_indices<2>({1 << 21, 1}, number);
    check_indices<2>({1, 1 << 30}, number);
    check_indices<3>({1000, 40, 56}, number);
    check_indices<3>({3, 1, 1 << 20}, number);
    check_indices<4>({90, 30, 1, 777}, number);
  }
}

TEST_CASE("grid indices: numbers beyond 31 bits, and dimensions that have as many indices") {
  constexpr index_t million = 1000000;
  for (const index_t number :
       {(index_t{1} << 31) - 1, index_t{1} << 31, index_t{1} << 32, 5 * million * million}) {
    check_indices<2>({10 * million, million}, number);
    check_indices<3>({2147418111, 100, 100000}, number);  // the largest that uses steps
    check_indices<2>({10, (index_t{1} << 31) - 1}, number % (10 * ((index_t{1} << 31) - 1)));
    check_indices<2>({3, index_t{1} << 50}, number);
  }
  CHECK(grid_indices<2>({10 * million, million}).has_steps());
  CHECK(grid_indices<2>({2147418111, 5}).has_steps());
  CHECK(!grid_indices<2>({2147418112, 5}).has_steps());
  CHECK(!grid_indices<2>({5, index_t{1} << 50}).has_steps());
}

TEST_CASE("grid indices: a grid of no indices divides by nothing") {
  CHECK(grid_indices<3>({5, 0, 0}).has_steps());
}
