// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/data.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// What a histogram is by definition, and samples that show who deviates from it.
namespace tandem::test {

/// numpy.histogram's edges of equal bins, computed in double and rounded to T; the last one is hi.
template <class T>
std::vector<T> numpy_edges(double lo, double hi, std::size_t bins) {
  std::vector<T> edges(bins + 1);
  const double step = (hi - lo) / static_cast<double>(bins);
  for (std::size_t i = 0; i <= bins; ++i) {
    const volatile double offset = static_cast<double>(i) * step;
    edges[i] = static_cast<T>(lo + offset);
  }
  edges[bins] = static_cast<T>(hi);
  return edges;
}

/// The bin of x by the definition: the one whose edges enclose it, the last one closed; as many as
/// there are bins where x is in none.
template <class T>
std::size_t bin_by_definition(T x, const std::vector<T>& edges) {
  const std::size_t bins = edges.size() - 1;
  if (!(x >= edges.front() && x <= edges.back())) return bins;
  std::size_t low = 0;
  std::size_t high = bins;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (x >= edges[middle] ? low : high) = middle;
  }
  return low;
}

/// Counts by the definition.
template <class T>
std::vector<std::uint64_t> definition(const std::vector<T>& values, const std::vector<T>& edges) {
  std::vector<std::uint64_t> counts(edges.size());
  for (const T x : values) ++counts[bin_by_definition(x, edges)];
  counts.pop_back();
  return counts;
}

/// Samples of which two thirds stand on an edge or one step beside one, some outside, some NaN.
template <class T>
std::vector<T> samples_at_edges(const std::vector<T>& edges, std::size_t count) {
  std::vector<T> values(count);
  const T lo = edges.front();
  const T hi = edges.back();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(i);
    const T edge = edges[bits % edges.size()];
    const std::uint64_t kind = (bits >> 40) % 10;
    const T between =
        static_cast<T>(lo + (hi - lo) * (1.2 * static_cast<double>(bits >> 11) * 0x1p-53 - 0.1));
    values[i] = kind < 2   ? edge
                : kind < 4 ? std::nextafter(edge, std::numeric_limits<T>::lowest())
                : kind < 6 ? std::nextafter(edge, std::numeric_limits<T>::max())
                : kind < 9 ? between
                           : std::numeric_limits<T>::quiet_NaN();
  }
  return values;
}

}  // namespace tandem::test
