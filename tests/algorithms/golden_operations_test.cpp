// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kept hashes, as in golden_test.cpp, of the operations that golden_test.cpp does not cover.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/backends.hpp"
#include "support/golden.hpp"

using namespace tandem::test;
using tandem::axis;
using tandem::index_t;

namespace {

constexpr std::size_t n = 140001;

/// Returns runs of equal values that are 20 elements long on average.
template <class T>
std::vector<T> runs(std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = i == 0 || mix(seed ^ i) % 20 == 0 ? random_value<T>(seed, i) : values[i - 1];
  return values;
}

/// Returns offsets of segments, some of them empty and some long.
std::vector<std::int32_t> offsets() {
  std::vector<std::int32_t> at = {0};
  for (std::uint64_t s = 0; at.back() < static_cast<std::int32_t>(n); ++s) {
    const auto length = static_cast<std::int32_t>(mix(s) % 7 == 0 ? 0 : 1u << mix(s + 77) % 14);
    at.push_back(std::min(static_cast<std::int32_t>(n), at.back() + length));
  }
  return at;
}

struct is_positive {
  template <class T>
  TANDEM_FUNCTION bool operator()(T x) const {
    return x > T(0);
  }
};

template <class T, class Space>
std::uint64_t hash_of_orders(const Space& space) {
  auto x = to_space(space, golden_values<T>(n, 201));
  auto y = to_space(space, std::vector<T>(n));
  auto order = to_space(space, std::vector<std::int32_t>(n));
  tandem::iota(space, order);
  tandem::sort_by_key(space, x, order, y, order);
  std::uint64_t hash = combined(hash_of_all(to_host(space, y)), hash_of_all(to_host(space, order)));
  tandem::sort(space, x, tandem::sort_order::descending);
  hash = combined(hash, hash_of_all(to_host(space, x)));
  tandem::gather(space, x, order, y);
  hash = combined(hash, hash_of_all(to_host(space, y)));
  tandem::reverse(space, x);
  tandem::scatter(space, x, order, y);
  hash = combined(hash, hash_of_all(to_host(space, y)));
  tandem::adjacent_difference(space, x, y);
  return combined(hash, hash_of_all(to_host(space, y)));
}

template <class T, class Space>
std::uint64_t hash_of_selections(const Space& space) {
  auto x = to_space(space, runs<T>(202));
  auto y = to_space(space, std::vector<T>(n));
  const index_t kept = tandem::copy_if(space, x, y, is_positive{});
  std::uint64_t hash = combined(static_cast<std::uint64_t>(kept), hash_of_all(to_host(space, y)));
  const index_t distinct = tandem::unique(space, x, y);
  hash = combined(hash, static_cast<std::uint64_t>(distinct));
  return combined(hash, hash_of_all(to_host(space, y)));
}

template <class T, class Space>
std::uint64_t hash_of_reductions(const Space& space) {
  const tandem::combined_reducer several{tandem::sum<T>{}, tandem::minloc<T>{},
                                         tandem::minmax<T>{}};
  auto x = to_space(space, golden_values<T>(n, 203));
  std::uint64_t hash = word_of(tandem::argmin(space, x));
  hash = combined(hash, word_of(tandem::argmax(space, x)));
  hash = combined(hash, word_of(tandem::parallel_reduce(space, x, tandem::minmax<T>{})));
  hash = combined(hash, word_of(tandem::parallel_reduce(space, x, tandem::product<T>{})));
  const auto [total, least, range] = tandem::parallel_reduce(space, x, several);
  return combined(hash, combined(word_of(total), combined(word_of(least), word_of(range))));
}

template <class T, class Space>
std::uint64_t hash_of_axes(const Space& space) {
  std::uint64_t hash = 0;
  for (const auto& [rows, columns] : {std::pair{3, 40001}, {40001, 3}, {300, 257}}) {
    tandem::array<T, 2, Space> x(tandem::extents<2>(rows, columns), space);
    tandem::copy(space, golden_values<T>(static_cast<std::size_t>(x.size()), 204), x);
    tandem::array<T, 1, Space> down(tandem::extents<1>(columns), space);
    tandem::array<T, 1, Space> across(tandem::extents<1>(rows), space);
    tandem::parallel_reduce_into(space, x, axis{0}, tandem::sum{}, down);
    tandem::parallel_reduce_into(space, x, axis{1}, tandem::sum{}, across);
    hash = combined(hash, hash_of_all(to_host(space, down)));
    hash = combined(hash, hash_of_all(to_host(space, across)));
  }
  return hash;
}

template <class T, class Space>
std::uint64_t hash_of_segments(const Space& space) {
  const auto at = offsets();
  auto x = to_space(space, golden_values<T>(n, 205));
  auto y = to_space(space, std::vector<T>(n));
  auto begins = to_space(space, at);
  using Sum = decltype(tandem::parallel_reduce(space, x));  // 64 bits for narrow integers
  auto sums = to_space(space, std::vector<Sum>(at.size() - 1));
  tandem::segmented_reduce(space, x, begins, sums);
  std::uint64_t hash = hash_of_all(to_host(space, sums));
  tandem::segmented_scan(space, x, begins, y);
  hash = combined(hash, hash_of_all(to_host(space, y)));
  auto keys = to_space(space, runs<std::int32_t>(206));
  auto keys_out = to_space(space, std::vector<std::int32_t>(n));
  auto totals = to_space(space, std::vector<Sum>(n));
  const index_t count = tandem::reduce_by_key(space, keys, x, keys_out, totals);
  hash = combined(hash, static_cast<std::uint64_t>(count));
  hash = combined(hash, hash_of_all(to_host(space, keys_out)));
  return combined(hash, hash_of_all(to_host(space, totals)));
}

template <class T, class Space>
std::uint64_t hash_of_sparse_products(const Space& space) {
  const auto at = offsets();
  const auto rows = static_cast<index_t>(at.size()) - 1;
  auto begins = to_space(space, at);
  auto columns = to_space(space, random_below<std::int32_t>(n, 5000, 207));
  auto values = to_space(space, golden_values<T>(n, 208));
  const tandem::csr_matrix a{begins.const_view(), columns.const_view(), values.const_view(), 5000};
  auto x = to_space(space, golden_values<T>(5000, 209));
  auto y = to_space(space, std::vector<T>(static_cast<std::size_t>(rows)));
  tandem::multiply(space, a, x, y);
  tandem::array<T, 2, Space> several(tandem::extents<2>(5000, 5), space);
  tandem::array<T, 2, Space> products(tandem::extents<2>(rows, 5), space);
  tandem::copy(space, golden_values<T>(25000, 210), several);
  tandem::multiply(space, a, several, products);
  return combined(hash_of_all(to_host(space, y)), hash_of_all(to_host(space, products)));
}

template <class T, class Space>
std::uint64_t hash_of_scattered_sums(const Space& space) {
  std::uint64_t hash = 0;
  for (const std::size_t cells : {1ul, 37ul, 20000ul}) {
    auto at = to_space(space, random_below<std::int32_t>(n, cells, 211));
    auto values = to_space(space, golden_values<T>(n, 212));
    auto out = to_space(space, std::vector<T>(cells));
    tandem::scatter_add(space, at, values, out);
    hash = combined(hash, hash_of_all(to_host(space, out)));
  }
  return hash;
}

/// Adds terms to 100 cells in whatever order the threads arrive.
template <class Cells, class Values, class Scale>
struct add_to_cells {
  Cells cells;
  Values values;
  Scale scale;

  TANDEM_FUNCTION void operator()(index_t i) const { cells(i * 31 % 100).add(scale, values(i)); }
};
template <class Cells, class Values, class Scale>
add_to_cells(Cells, Values, Scale) -> add_to_cells<Cells, Values, Scale>;

template <class Cells, class Out, class Scale>
struct take_sums {
  Cells cells;
  Out out;
  Scale scale;

  TANDEM_FUNCTION void operator()(index_t i) const { out(i) = cells(i).value(scale); }
};
template <class Cells, class Out, class Scale>
take_sums(Cells, Out, Scale) -> take_sums<Cells, Out, Scale>;

template <class T, class Space>
std::uint64_t hash_of_order_free_sums(const Space& space) {
  using cell = tandem::order_free_sum<T>;
  const auto scale = cell::scale(T(64), static_cast<index_t>(n));
  auto x = to_space(space, golden_values<T>(n, 213));
  tandem::array<cell, 1, Space> cells(tandem::extents<1>(100), cell{}, space);
  tandem::array<T, 1, Space> sums(tandem::extents<1>(100), space);
  const auto c = cells.view();
  tandem::parallel_for(space, static_cast<index_t>(n), add_to_cells{c, x.const_view(), scale});
  tandem::parallel_for(space, index_t{100}, take_sums{c, sums.view(), scale});
  return hash_of_all(to_host(space, sums));
}

template <class T, class Space>
std::uint64_t hash_of_parts(const Space& space) {
  auto x = to_space(space, golden_values<T>(n, 214));
  const auto part = [&](index_t first, index_t last) {
    return tandem::partial_reduce(space, tandem::subview(x.view(), tandem::slice{first, last}),
                                  first, tandem::sum<T>{});
  };
  using tandem::combine;
  const auto whole = combine(combine(part(0, 2048 * 3), part(2048 * 3, 2048 * 20)),
                             part(2048 * 20, static_cast<index_t>(n)));
  CHECK(same_bits(tandem::finish(whole), tandem::parallel_reduce(space, x)));
  return word_of(tandem::finish(whole));
}

template <class Space>
std::uint64_t hash_of_permutations(const Space& space) {
  auto x = to_space(space, std::vector<std::int32_t>(n));
  tandem::random_permutation(space, x, 215);
  const std::uint64_t hash = hash_of_all(to_host(space, x));
  auto y = to_space(space, golden_values<double>(n, 216));
  tandem::shuffle(space, y, 217);
  return combined(hash, hash_of_all(to_host(space, y)));
}

}  // namespace

TEST_CASE_TEMPLATE("golden: sorts, gathers and differences", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_orders<float>(space) == 0x86e8fbc6e0fb9ebbu);
  CHECK(hash_of_orders<double>(space) == 0x3dca7171fc5f56f7u);
  CHECK(hash_of_orders<std::uint8_t>(space) == 0xab42071049bc7ffbu);
  CHECK(hash_of_orders<std::int64_t>(space) == 0x1a4c68dfe63a30e7u);
}

TEST_CASE_TEMPLATE("golden: selections", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_selections<float>(space) == 0x84d4d4bff24297b5u);
  CHECK(hash_of_selections<std::int64_t>(space) == 0x45d67f3491100ca1u);
}

TEST_CASE_TEMPLATE("golden: extremes, their places, products and several at once", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_reductions<float>(space) == 0x78b88ec3b1fc26edu);
  CHECK(hash_of_reductions<double>(space) == 0x85f793f0c9255affu);
  CHECK(hash_of_reductions<std::int32_t>(space) == 0x244cdcb7b1e29766u);
}

TEST_CASE_TEMPLATE("golden: reductions along an axis", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_axes<float>(space) == 0x97afeb2bfa0b160bu);
  CHECK(hash_of_axes<double>(space) == 0xe75296d337cb410eu);
}

TEST_CASE_TEMPLATE("golden: segments and runs of keys", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_segments<float>(space) == 0x853466b3150fb406u);
  CHECK(hash_of_segments<double>(space) == 0x0836fb57aa6dc0f1u);
  CHECK(hash_of_segments<std::int32_t>(space) == 0x24e64d107ed4c6b9u);
}

TEST_CASE_TEMPLATE("golden: sparse rows", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_sparse_products<float>(space) == 0x3fd16c1f39217b5eu);
  CHECK(hash_of_sparse_products<double>(space) == 0x97dd7a975d6e8cdfu);
}

TEST_CASE_TEMPLATE("golden: sums without an order", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_scattered_sums<float>(space) == 0x8318dc1de3bc22e8u);
  CHECK(hash_of_scattered_sums<double>(space) == 0x621d8fcbcd325d65u);
  CHECK(hash_of_scattered_sums<std::int32_t>(space) == 0x82d577f8ebef0685u);
  CHECK(hash_of_order_free_sums<float>(space) == 0x4ca326c98ddcfc9fu);
  CHECK(hash_of_order_free_sums<double>(space) == 0xe069430aef4427afu);
}

TEST_CASE_TEMPLATE("golden: sums in parts", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_parts<float>(space) == 0x0000000043193098u);
  CHECK(hash_of_parts<double>(space) == 0x406326109096cfa4u);
}

TEST_CASE_TEMPLATE("golden: permutations", Backend, TANDEM_TEST_BACKENDS) {
  CHECK(hash_of_permutations(Backend::make()) == 0x927075e768b14b39u);
}
