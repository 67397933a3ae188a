// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the rule of equal bins with the edges that docs/numerics.md defines: estimates reported
// as certain must be right.
#include <doctest/doctest.h>

#include "support/histograms.hpp"

#include <cmath>
#include <cstdint>

#include <tandem/core/contract/histogram_bins.hpp>

using namespace tandem::test;

namespace {

/// Counts neighbours of edges whose bin, found or located, is not the one between the defined
/// edges.
template <class T>
long count_wrong(T lo, T hi, std::size_t bins) {
  const tandem::uniform_bin_rule<T> rule(lo, hi, static_cast<tandem::index_t>(bins));
  const auto edges = numpy_edges<T>(lo, hi, bins);
  const auto none = static_cast<tandem::index_t>(bins);
  long wrong = 0;
  for (const T x : neighbours_of(edges)) {
    const auto wanted = static_cast<tandem::index_t>(bin_by_definition(x, edges));
    const tandem::index_t bin = tandem::find_bin(rule, x);
    const tandem::index_t located = rule.locate(x);
    if ((bin == tandem::no_bin ? none : bin) != wanted) ++wrong;
    if ((located == tandem::no_bin ? none : located) != wanted) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("histogram bins: neighbours of edges, where the error of estimates is largest",
                   T, float, double) {
  for (const auto& range : near_zero_ranges<T>()) {
    INFO(range.lo << " to " << range.hi << ", bins = " << range.bins);
    CHECK(count_wrong(range.lo, range.hi, range.bins) == 0);
  }
}

TEST_CASE_TEMPLATE("histogram bins: neighbours of edges of random ranges", T, float, double) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::uint64_t bits = mix(seed);
    const T size = std::ldexp(T(1), static_cast<int>(bits % 60) - 30);
    const T lo = size * random_value<T>(seed, 1);
    const T hi = lo + size * std::fabs(random_value<T>(seed, 2));
    const std::size_t bins = 1 + (bits >> 20) % (std::size_t{2} << (bits >> 8) % 12);
    if (!(lo < hi)) continue;
    INFO("seed = " << seed);
    CHECK(count_wrong(lo, hi, bins) == 0);
  }
}
