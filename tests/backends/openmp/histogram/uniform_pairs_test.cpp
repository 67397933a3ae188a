// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/data.hpp"
#include "support/histograms.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/openmp/histogram/count.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::openmp_impl::histogram_kernels;
using tandem::openmp_impl::usable_kernels;

namespace {

/// Counts the whole blocks of the values.
template <class T>
std::vector<std::uint64_t> counts_by(const histogram_kernels& kernels,
                                     const tandem::uniform_bin_rule<T>& rule,
                                     const std::vector<T>& values) {
  constexpr auto copies = std::size_t{tandem::openmp_impl::histogram_copies};
  std::vector<std::uint32_t> words(copies * 256);
  std::vector<std::uint8_t> cells(tandem::openmp_impl::histogram_pair_cells);
  tandem::openmp_impl::pair_counters counters{cells.data(), {}};
  for (std::size_t copy = 0; copy < copies; ++copy)
    counters.words.copies[copy] = words.data() + 256 * copy;
  const auto size = static_cast<std::int64_t>(values.size());
  CHECK(kernels.of<T>().pairs(tandem::openmp_impl::fixed_point_position_of(rule), counters,
                              values.data(), size) == size);
  const auto bins = static_cast<std::size_t>(rule.bins());
  kernels.fold_pairs(counters, static_cast<int>(bins));
  std::vector<std::uint64_t> counts(bins);
  for (std::size_t bin = 0; bin < bins; ++bin)
    for (std::size_t copy = 0; copy < copies; ++copy) counts[bin] += words[256 * copy + bin];
  return counts;
}

/// Returns values well inside their bins, except one in each block that is next to an edge: up to
/// 400 steps from it, every other one up to three, or on it.
template <class T>
std::vector<T> rarely_at_edges(const std::vector<T>& edges, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(i);
    const std::size_t bin = bits % (edges.size() - 1);
    const double part = 0.1 + 0.8 * static_cast<double>(bits >> 11) * 0x1p-53;
    values[i] = static_cast<T>(edges[bin] + (edges[bin + 1] - edges[bin]) * part);
    if (i % 256 != bits % 251) continue;
    T near = edges[bits % edges.size()];
    const T to = (bits >> 20) % 2 == 0 ? edges.front() - 1 : edges.back() + 1;
    const std::uint64_t steps = (bits >> 21) % (bits >> 63 == 0 ? 4 : 400);
    for (std::uint64_t step = 0; step < steps; ++step) near = std::nextafter(near, to);
    values[i] = near;
  }
  return values;
}

template <class T>
void check_positions(double low, double high) {
  const auto lo = static_cast<T>(low);
  const auto hi = static_cast<T>(high);
  for (const std::size_t bins : {1ul, 2ul, 10ul, 150ul, 254ul, 255ul}) {
    const tandem::uniform_bin_rule<T> rule(lo, hi, static_cast<tandem::index_t>(bins));
    REQUIRE(tandem::openmp_impl::fixed_point_decides(rule));
    const auto edges = numpy_edges<T>(lo, hi, bins);
    const std::size_t size = takes_few() ? 512 : 1 << 16;
    const auto rare = rarely_at_edges(edges, size);
    const auto often = samples_at_edges(edges, size);
    auto sorted = rare;
    std::sort(sorted.begin(), sorted.end());
    INFO("lo = " << lo << ", hi = " << hi << ", bins = " << bins);
    for (const histogram_kernels* const kernels : usable_kernels<histogram_kernels>()) {
      CHECK(counts_by(*kernels, rule, rare) == definition(rare, edges));
      CHECK(counts_by(*kernels, rule, often) == definition(often, edges));
      CHECK(counts_by(*kernels, rule, sorted) == definition(sorted, edges));
    }
  }
}

/// Returns values of every kind: even, outside and infinite, NaN, all equal, on an edge.
template <class T>
std::vector<std::vector<T>> kinds_of_values(std::size_t size) {
  auto even = random_values<T>(size, 61);
  auto wild = even;
  for (std::size_t i = 0; i < size; i += 3) wild[i] *= T(1e30);
  for (std::size_t i = 0; i < size; i += 5) wild[i] = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t i = 0; i < size; i += 7) wild[i] = std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < size; i += 11) wild[i] = -std::numeric_limits<T>::infinity();
  return {even, wild, std::vector<T>(size, T(0.3)), std::vector<T>(size, T(0)),
          std::vector<T>(size, T(8))};
}

template <class T>
void check_threads() {
  const std::size_t size = 3 * (std::size_t{1} << 16) + 131;
  const auto edges = numpy_edges<T>(-8, 8, 150);
  for (const auto& values : kinds_of_values<T>(size)) {
    for (const int threads : {1, 2, 3}) {
      const tandem::openmp space(threads);
      tandem::array<T, 1, tandem::openmp> x(tandem::extents<1>(size), space);
      tandem::array<std::uint64_t, 1, tandem::openmp> counts(tandem::extents<1>(150), space);
      tandem::copy(space, values, x);
      tandem::histogram(space, x.const_view(), {.lo = T(-8), .hi = T(8)}, counts.view());
      INFO("threads = " << threads << ", first value = " << values[1]);
      CHECK(std::vector<std::uint64_t>(counts.data_handle(), counts.data_handle() + 150) ==
            definition(values, edges));
    }
  }
}

}  // namespace

TEST_CASE("openmp histogram: positions that are certain, in pairs, are right") {
  check_positions<float>(-4, 4);
  check_positions<float>(0, 1);
  check_positions<float>(0.1, 0.7);
  check_positions<float>(-17.3, -1e-30);
  check_positions<float>(3, 5);
  check_positions<float>(30.1, 32.9);  // positions are off by up to 20 of their units
  check_positions<double>(-4, 4);
  check_positions<double>(0.1, 0.7);
  check_positions<double>(1000, 1001);
}

TEST_CASE("openmp histogram: pairs of floating-point values on several threads") {
  check_threads<float>();
  check_threads<double>();
}

TEST_CASE("openmp histogram: ranges whose positions do not decide are not counted by them") {
  using tandem::openmp_impl::fixed_point_decides;
  using rule = tandem::uniform_bin_rule<float>;
  CHECK_FALSE(fixed_point_decides(rule(1000.0f, 1001.0f, 150)));  // too many doubtful values
  CHECK_FALSE(fixed_point_decides(rule(0.0f, 1e-32f, 150)));  // 2^16 times the inverse overflows
  CHECK(fixed_point_decides(rule(0.0f, 1e-20f, 150)));
  CHECK_FALSE(fixed_point_decides(tandem::uniform_bin_rule<double>(0.0, 1e-304, 150)));
}
