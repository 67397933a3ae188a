// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/histograms.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

using namespace tandem::test;

namespace {

/// Patterns of bins + 1 ascending edges.
constexpr int shapes = 7;

template <class T>
std::vector<T> make_edges(int shape, std::size_t bins) {
  using limits = std::numeric_limits<T>;
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(bins);
    const double random = static_cast<double>(mix(i + 77) >> 11) * 0x1p-53;
    if (shape == 0) edges[i] = 90 * part + 3;                     // even
    if (shape == 1) edges[i] = 100 * part * part;                 // denser below
    if (shape == 2) edges[i] = 100 * random;                      // in pairs and triples
    if (shape == 3) edges[i] = 100 * std::exp(12 * (part - 1));   // logarithmic
    if (shape == 4) edges[i] = std::floor(40 * random);           // many equal edges
    if (shape == 5) edges[i] = i < bins ? 50 + 1e-3 * part : 99;  // all but one crowded together
    if (shape == 6) edges[i] = 7;                                 // all equal
  }
  std::sort(edges.begin(), edges.end());
  std::vector<T> result(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) result[i] = static_cast<T>(edges[i]);
  if (shape == 1 && limits::has_infinity) result.back() = limits::infinity();
  if (shape == 3 && limits::has_infinity) result.front() = -limits::infinity();
  if (shape == 0 && !limits::has_infinity) result.back() = limits::max();
  if (shape == 2 && !limits::has_infinity) result.front() = limits::lowest();
  return result;
}

/// Returns values on edges, next to them, between and outside them, NaN and infinities.
template <class T>
std::vector<T> samples_of_edges(const std::vector<T>& edges, std::size_t count) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(i);
    const T edge = edges[bits % edges.size()];
    const T between = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53 * 110);
    const std::uint64_t kind = (bits >> 40) % 8;
    if constexpr (limits::has_infinity) {
      const T below = std::nextafter(edge, -limits::infinity());
      const T above = std::nextafter(edge, limits::infinity());
      const T special = bits % 3 == 0   ? limits::quiet_NaN()
                        : bits % 3 == 1 ? limits::infinity()
                                        : -limits::infinity();
      values[i] = kind == 0 ? edge : kind == 1 ? below : kind == 2 ? above : between;
      if (kind == 3) values[i] = special;
    } else {
      // Uses unsigned arithmetic, which wraps around next to the largest value.
      const auto beside = static_cast<T>(static_cast<std::uint64_t>(edge) + 1 - (bits >> 20) % 3);
      values[i] = kind < 2 ? edge : kind < 4 ? beside : between;
      if (kind == 7) values[i] = bits % 2 == 0 ? limits::max() : limits::lowest();
    }
  }
  return values;
}

template <class T, class Space>
void check_shapes(const Space& space) {
  for (int shape = 0; shape < shapes; ++shape) {
    for (const std::size_t bins : {1ul, 2ul, 3ul, 100ul, 1000ul, 20000ul}) {
      INFO("shape = " << shape << ", bins = " << bins << ", bytes = " << sizeof(T));
      const auto edges = make_edges<T>(shape, bins);
      const auto values = samples_of_edges(edges, 20011);
      auto x = to_space(space, values);
      auto e = to_space(space, edges);
      tandem::array<std::int64_t, 1, Space> counts(tandem::extents<1>(bins), -1, space);
      tandem::histogram(space, x.const_view(), e.const_view(), counts.view());
      const auto got = to_host(space, counts);
      CHECK(std::vector<std::uint64_t>(got.begin(), got.end()) == definition(values, edges));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("histogram: explicit edges, uneven and on the samples", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t bins : {1ul, 3ul, 100ul, 1000ul}) {
    std::vector<double> edges(bins + 1);
    for (std::size_t i = 0; i <= bins; ++i) edges[i] = std::sqrt(static_cast<double>(i)) - 1.0;
    const auto values = samples_at_edges(edges, 30000);
    auto x = to_space(space, values);
    auto e = to_space(space, edges);
    tandem::array<std::int64_t, 1, typename Backend::space> counts(tandem::extents<1>(bins), -1,
                                                                   space);
    tandem::histogram(space, x.const_view(), e.const_view(), counts.view());
    const auto got = to_host(space, counts);
    CHECK(std::vector<std::uint64_t>(got.begin(), got.end()) == definition(values, edges));
  }
}

TEST_CASE_TEMPLATE("histogram: explicit edges of floats, even, logarithmic, in heaps, infinite",
                   Backend, TANDEM_TEST_BACKENDS) {
  check_shapes<float>(Backend::make());
  check_shapes<double>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: explicit edges of integers, up to the ends of their types", Backend,
                   TANDEM_TEST_BACKENDS) {
  check_shapes<std::int8_t>(Backend::make());
  check_shapes<std::uint8_t>(Backend::make());
  check_shapes<std::int16_t>(Backend::make());
  check_shapes<std::uint16_t>(Backend::make());
  check_shapes<std::int32_t>(Backend::make());
  check_shapes<std::uint32_t>(Backend::make());
  check_shapes<std::int64_t>(Backend::make());
  check_shapes<std::uint64_t>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: equal bins, on and beside every edge", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](const auto& range) {
    const auto edges =
        numpy_edges<std::remove_cvref_t<decltype(range.lo)>>(range.lo, range.hi, range.bins);
    const auto values = neighbours_of(edges);
    auto x = to_space(space, values);
    tandem::array<std::int64_t, 1, typename Backend::space> counts(tandem::extents<1>(range.bins),
                                                                   -1, space);
    tandem::histogram(space, x.const_view(), {.lo = range.lo, .hi = range.hi}, counts.view());
    const auto got = to_host(space, counts);
    INFO(range.lo << " to " << range.hi << ", bins = " << range.bins);
    CHECK(std::vector<std::uint64_t>(got.begin(), got.end()) == definition(values, edges));
  };
  for (const auto& range : near_zero_ranges<float>()) check(range);
  for (const auto& range : near_zero_ranges<double>()) check(range);
}
