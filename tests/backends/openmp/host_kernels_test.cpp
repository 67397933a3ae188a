// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that openmp lends to other host backends, called through one of these.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <tandem/backends/openmp/host_kernels.hpp>
#include <tandem/tandem.hpp>

#include "backends/openmp/std_threads/std_threads.hpp"
#include "support/data.hpp"
#include "support/matmuls.hpp"
#include "support/non_commutative.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr int thread_counts[] = {1, 2, 5};

/// Sizes near the leaves of a reduction and near partitions of several leaves.
constexpr int sizes[] = {1, 8191, 8193, 12288, 12289, 40961, (1 << 20) + 7};

/// Calls check(space, n) for every thread count and size.
template <class Check>
void for_each_case(const Check& check) {
  for (const int threads : thread_counts) {
    for (const int n : sizes) {
      CAPTURE(threads);
      CAPTURE(n);
      check(std_threads(threads), n);
    }
  }
}

/// Runs one product on `space` in place of the elements of c, and returns them.
template <class T, class Space>
std::vector<T> product(const Space& space, const sweep_product<T, T>& p, std::uint64_t seed) {
  const auto a = random_values<T>(static_cast<std::size_t>(p.a.span), seed);
  const auto b = random_values<T>(static_cast<std::size_t>(p.b.span), seed + 1);
  const auto bias = random_values<T>(8192, seed + 2);
  auto c = random_values<T>(static_cast<std::size_t>(p.c.span), seed + 3);
  run_product(space, p, a.data(), b.data(), c.data(), bias.data() + bias.size() / 2,
              tandem::matmul_precision::full);
  return c;
}

template <class T>
void check_product(const sweep_product<T, T>& p, std::uint64_t seed) {
  const std::vector<T> wanted = product(tandem::serial(), p, seed);
  for (const int threads : thread_counts) {
    CAPTURE(seed);
    CAPTURE(threads);
    CHECK(first_difference(product(std_threads(threads), p, seed), wanted) == -1);
  }
}

}  // namespace

TEST_CASE("host kernels: sums of memory and of functions have serial's bits") {
  for_each_case([](const std_threads& space, int n) {
    const auto x = random_values<float>(static_cast<std::size_t>(n), 1);
    CHECK(
        same_bits(tandem::parallel_reduce(space, x), tandem::parallel_reduce(tandem::serial(), x)));
    const auto term = [&](int i) { return 1.0 / x[static_cast<std::size_t>(i)]; };
    CHECK(same_bits(tandem::parallel_reduce(space, n, term),
                    tandem::parallel_reduce(tandem::serial(), n, term)));
  });
}

TEST_CASE("host kernels: positions of extremes and the order of terms are serial's") {
  for_each_case([](const std_threads& space, int n) {
    const auto x = random_below<int>(static_cast<std::size_t>(n), 1000, 2);
    const auto place = tandem::parallel_reduce(space, x, tandem::maxloc{});
    const auto wanted = tandem::parallel_reduce(tandem::serial(), x, tandem::maxloc{});
    CHECK(place.value == wanted.value);
    CHECK(place.index == wanted.index);
    const tandem::reduction in_order{compose{}, affine{1.0f, -0.0f}};
    const auto map = [&](int i) {
      return affine{0.5f, static_cast<float>(x[static_cast<std::size_t>(i)])};
    };
    const affine all = tandem::parallel_reduce(space, n, map, in_order);
    const affine serial = tandem::parallel_reduce(tandem::serial(), n, map, in_order);
    CHECK(same_bits(all.a, serial.a));
    CHECK(same_bits(all.b, serial.b));
  });
}

TEST_CASE("host kernels: a reduction has at most about 64 parts per thread") {
  using sum = tandem::sum<float>;
  const tandem::contiguous_load<float, sum> load{nullptr, {}};
  for_each_case([&](const std_threads& space, int n) {
    const sum reducer;
    const tandem::host_kernels::divided_reduction divided(load, n, reducer, space.threads());
    CHECK(divided.parts() >= 1);
    CHECK(divided.parts() <= 65 * space.threads());
  });
}

TEST_CASE("host kernels: a loop meets every index of a range or a grid once") {
  for (const int threads : thread_counts) {
    const std_threads space(threads);
    CAPTURE(threads);
    std::vector<int> met(5 * 7 * 301);
    int* const count = met.data();
    tandem::parallel_for(space, tandem::range{3, 10000}, [=](int i) { ++count[i]; });
    tandem::parallel_for(space, tandem::grid{35, 301},
                         [=](int j, int i) { count[j * 301 + i] += 2; });
    tandem::parallel_for(space, tandem::grid{5, 7, 301},
                         [=](int k, int j, int i) { count[(k * 7 + j) * 301 + i] += 4; });
    long wrong = 0;
    for (std::size_t i = 0; i < met.size(); ++i) wrong += met[i] != (i >= 3 && i < 10000 ? 7 : 6);
    CHECK(wrong == 0);
  }
}

TEST_CASE("host kernels: random products by blocks of c have serial's bits") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    check_product(sweep_product<float, float>(seed, 90), seed);
    check_product(sweep_product<double, double>(seed, 90), seed);
  }
  check_product(contiguous_product<float, float>(131, 97, 1500), 3);
  check_product(contiguous_product<double, double>(40, 333, 1100), 4);
}

TEST_CASE("host kernels: what a loop throws on any thread reaches the caller") {
  for (const int threads : thread_counts) {
    for (const int bad : {0, 9999}) {
      CHECK_THROWS_AS(tandem::parallel_for(std_threads(threads), 10000,
                                           [=](int i) {
                                             if (i == bad) throw std::out_of_range("bad");
                                           }),
                      std::out_of_range);
    }
  }
}
