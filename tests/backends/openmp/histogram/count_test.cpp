// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include "support/data.hpp"
#include "support/histograms.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/histogram/kernels/table.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::openmp_impl::histogram_kernels;
using tandem::openmp_impl::usable_kernels;

namespace {

/// Returns values for which the kernels' bins are not those of the definition.
template <class T>
long wrong_bins(const histogram_kernels& kernels, T lo, T hi, std::size_t bins) {
  const tandem::uniform_bin_rule<T> rule(lo, hi, static_cast<tandem::index_t>(bins));
  REQUIRE(rule.nearest_edge_decides());
  const auto edges = numpy_edges<T>(lo, hi, bins);
  auto values = samples_at_edges(edges, 20003);
  values.push_back(lo);
  values.push_back(hi);
  values.push_back(-std::numeric_limits<T>::infinity());
  std::vector<std::uint32_t> compared(values.size());
  std::vector<std::uint32_t> guessed(values.size());
  const auto count = static_cast<int>(values.size());
  const auto number = static_cast<std::uint32_t>(bins);
  kernels.of<T>().compare(tandem::openmp_impl::uniform_edges_of(rule), values.data(), count,
                          compared.data());
  kernels.of<T>().estimate(rule.numbers(), number, values.data(), count, guessed.data());
  long wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto wanted = static_cast<std::uint32_t>(bin_by_definition(values[i], edges));
    wrong += compared[i] != wanted ? 1 : 0;
    wrong += guessed[i] != wanted && guessed[i] != number + 1 ? 1 : 0;
  }
  return wrong;
}

template <class T>
void check_bins() {
  for (const histogram_kernels* kernels : usable_kernels<histogram_kernels>()) {
    for (const std::size_t bins : {1ul, 2ul, 150ul, 256ul, 1000ul, 4096ul, 65536ul}) {
      INFO("bins = " << bins);
      CHECK(wrong_bins<T>(*kernels, T(-4), T(4), bins) == 0);
      CHECK(wrong_bins<T>(*kernels, T(0), T(1), bins) == 0);
      CHECK(wrong_bins<T>(*kernels, T(0.1), T(0.7), bins) == 0);
      CHECK(wrong_bins<T>(*kernels, T(-0.0), T(17.3), bins) == 0);
    }
  }
}

}  // namespace

TEST_CASE("openmp histogram: guesses that are certain and comparisons with edges are right") {
  check_bins<float>();
  check_bins<double>();
}

TEST_CASE("openmp histogram: many elements, in pieces that threads take in turn") {
  const std::size_t n = (std::size_t{1} << 21) + 12345;
  const auto values = random_values<float>(n, 41);
  const auto wanted = definition(values, numpy_edges<float>(-8, 8, 5000));
  for (const int threads : {1, 2, 3, 8}) {
    const tandem::openmp space(threads);
    tandem::array<float, 1, tandem::openmp> x(tandem::extents<1>(n), space);
    tandem::array<std::uint64_t, 1, tandem::openmp> counts(tandem::extents<1>(5000), space);
    tandem::copy(space, values, x);
    tandem::histogram(space, x.const_view(), {.lo = -8.0f, .hi = 8.0f}, counts.view());
    CHECK(std::vector<std::uint64_t>(counts.data_handle(), counts.data_handle() + 5000) == wanted);
  }
}

namespace {

/// Counts the bins values[i] - first with both kinds of counters; returns nothing if they differ.
std::vector<std::uint32_t> counts_by(const histogram_kernels& kernels,
                                     const std::vector<std::uint32_t>& values, std::uint32_t first,
                                     std::uint32_t bins) {
  constexpr auto copies = std::size_t{tandem::openmp_impl::histogram_copies};
  std::vector<std::uint32_t> counts[copies];
  tandem::openmp_impl::word_counters words;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    counts[copy].resize(bins);
    words.copies[copy] = counts[copy].data();
  }
  const auto size = static_cast<std::int64_t>(values.size());
  kernels.words(words, values.data(), size, first, bins);
  std::vector<std::uint8_t> bytes(bins);
  std::vector<std::uint32_t> overflows(bins);
  kernels.bytes({bytes.data(), overflows.data()}, values.data(), size, first, bins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t copy = 1; copy < copies; ++copy) counts[0][bin] += counts[copy][bin];
    if (counts[0][bin] != overflows[bin] + bytes[bin]) return {};
  }
  return counts[0];
}

}  // namespace

TEST_CASE("openmp histogram: counters of words and of bytes that overflow agree") {
  for (const histogram_kernels* kernels : usable_kernels<histogram_kernels>()) {
    for (const std::uint32_t bins : {1u, 7u, 9000u}) {
      for (const std::uint32_t first : {0u, 5u, 4294967290u}) {
        auto values = random_below<std::uint32_t>(200003, bins, 43);
        for (std::uint32_t& v : values) v += first;
        values[777] = first - 1;
        values[200002] = first + bins;
        std::vector<std::uint32_t> wanted(bins);
        for (const std::uint32_t v : values) {
          if (v - first < bins) ++wanted[v - first];
        }
        INFO("bins = " << bins << ", first = " << first);
        CHECK(counts_by(*kernels, values, first, bins) == wanted);
      }
    }
  }
}

TEST_CASE("openmp histogram: counts of pairs, whose bytes overflow, are those of single values") {
  constexpr auto copies = std::size_t{tandem::openmp_impl::histogram_copies};
  for (const histogram_kernels* kernels : usable_kernels<histogram_kernels>()) {
    for (const std::uint32_t bins : {1u, 2u, 3u, 129u, 255u, 256u}) {
      INFO("bins = " << bins);
      auto values = random_below<std::uint32_t>(200003, bins, 44);
      for (std::size_t i = 100000; i < values.size(); ++i)
        values[i] = bins - 1 - values[i] / 2;  // blocks without a value in the first bins
      values[777] = bins;
      for (std::uint32_t& v : values) v -= 5;
      std::vector<std::uint32_t> wanted(bins);
      for (const std::uint32_t v : values) {
        if (v + 5 < bins) ++wanted[v + 5];
      }
      std::vector<std::uint32_t> counts(copies * 256);
      tandem::openmp_impl::word_counters words;
      for (std::size_t copy = 0; copy < copies; ++copy)
        words.copies[copy] = counts.data() + 256 * copy;
      std::vector<std::uint8_t> cells(tandem::openmp_impl::histogram_pair_cells);
      const auto size = static_cast<std::int64_t>(values.size());
      kernels->pairs({cells.data(), words}, values.data(), size, 0u - 5u, bins);
      kernels->fold_pairs({cells.data(), words}, static_cast<int>(bins));
      std::vector<std::uint32_t> found(bins);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (i % 256 < bins) found[i % 256] += counts[i];
      }
      CHECK(found == wanted);
    }
  }
}
