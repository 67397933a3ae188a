// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes of canonical results on seeded inputs. They change only with the reduction order
// (docs/numerics.md), which after a release means a new major version. A failing case prints the
// hash that it found.

#include "support/golden.hpp"
#include "support/backends.hpp"
#include "support/non_commutative.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

template <class T, class Space>
std::uint64_t hash_of_sums(const Space& space) {
  std::uint64_t hash = 0;
  for (const std::size_t n : {1ul, 33ul, 2047ul, 2049ul, 70001ul, large_size}) {
    auto x = to_space(space, random_values<T>(n, 101));
    hash = combined(hash, bits_of(tandem::parallel_reduce(space, x.const_view())));
    hash = combined(hash, bits_of(tandem::dot(space, x.const_view(), x.const_view())));
  }
  return hash;
}

template <class Space>
std::uint64_t hash_of_ordered(const Space& space) {
  auto x = to_space(space, random_values<float>(70001, 102));
  const auto v = x.const_view();
  const auto term = TANDEM_LAMBDA(int i) { return affine{1.0f + 0.001f * v(i), v(i)}; };
  const tandem::reduction operation{compose{}, affine{1.0f, -0.0f}};
  const affine total = tandem::parallel_reduce(space, 70001, term, operation);
  return combined(bits_of(total.a), bits_of(total.b));
}

template <class T, class Space>
std::uint64_t hash_of_scans(const Space& space) {
  std::uint64_t hash = 0;
  for (const std::size_t n : {1ul, 513ul, 4097ul, 140001ul, large_size}) {
    auto x = to_space(space, random_values<T>(n, 103));
    tandem::parallel_scan(space, x.const_view(), x.view());
    hash = combined(hash, hash_of(to_host(space, x)));
    tandem::parallel_scan(space, x.const_view(), x.view(), tandem::sum<T>{},
                          tandem::exclusive<T>{T(0.5)});
    hash = combined(hash, hash_of(to_host(space, x)));
  }
  return hash;
}

template <class T, class Space>
std::uint64_t hash_of_products(const Space& space) {
  std::uint64_t hash = 0;
  const tandem::index_t shapes[][3] = {{33, 47, 100}, {64, 64, 1024}, {20, 30, 2500}};
  for (const auto& shape : shapes) {
    tandem::array<T, 2, Space> a(tandem::extents<2>(shape[0], shape[2]), space);
    tandem::array<T, 2, Space> b(tandem::extents<2>(shape[2], shape[1]), space);
    tandem::array<T, 2, Space> c(tandem::extents<2>(shape[0], shape[1]), T(1), space);
    tandem::copy(space, random_values<T>(static_cast<std::size_t>(a.size()), 104), a);
    tandem::copy(space, random_values<T>(static_cast<std::size_t>(b.size()), 105), b);
    tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                   {.alpha = T(0.75), .beta = T(-1.5)});
    hash = combined(hash, hash_of(to_host(space, c)));
  }
  return hash;
}

template <class T, class Space>
std::uint64_t hash_of_histograms(const Space& space) {
  auto x = to_space(space, random_values<T>(200003, 106));
  auto w = to_space(space, random_values<T>(200003, 107));
  tandem::array<std::uint32_t, 1, Space> counts(tandem::extents<1>(150), 0u, space);
  tandem::array<T, 1, Space> sums(tandem::extents<1>(150), T(0), space);
  tandem::histogram(space, x.const_view(), {.lo = T(-4), .hi = T(4.1)}, counts.view());
  tandem::histogram(space, x.const_view(), {.lo = T(-4), .hi = T(4.1)}, w.const_view(),
                    sums.view());
  return combined(hash_of(to_host(space, counts)), hash_of(to_host(space, sums)));
}

}  // namespace

TEST_CASE_TEMPLATE("golden: sums and dot products", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_sums<float>(space) == 0xea8048855fb3e311u);
  CHECK(hash_of_sums<double>(space) == 0x0b7e61d7529c2ee2u);
}

TEST_CASE_TEMPLATE("golden: the ordered reduction", Backend, TANDEM_TEST_BACKENDS) {
  CHECK(hash_of_ordered(Backend::make()) == 0xc206a1c5f2ce3f16u);
}

TEST_CASE_TEMPLATE("golden: scans", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_scans<float>(space) == 0xfeef8b31573836c9u);
  CHECK(hash_of_scans<double>(space) == 0x72606357ec161729u);
}

TEST_CASE_TEMPLATE("golden: matrix products", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_products<float>(space) == 0x1fd63d15a6f5dfd0u);
  CHECK(hash_of_products<double>(space) == 0xa50cbadb9f4a221eu);
}

TEST_CASE_TEMPLATE("golden: histograms, counted and weighted", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_histograms<float>(space) == 0xd7fab24491636f42u);
  CHECK(hash_of_histograms<double>(space) == 0xf4177ff00954a960u);
}
