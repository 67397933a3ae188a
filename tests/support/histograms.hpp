// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/data.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// The definition of a histogram, and samples that reveal deviations from it.
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

/// Returns the bin of x by the definition: the one whose edges enclose it, the last one closed; the
/// number of bins if x is in none.
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

/// Samples, two thirds of them on an edge or one step next to one, some outside, some NaN.
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

/// Equal bins over [lo, hi].
template <class T>
struct bin_range {
  T lo;
  T hi;
  std::size_t bins;
};

/// Ranges around zero with the largest estimation errors relative to their size: found by a search
/// for ranges in which a margin without its constant part calls many wrong estimates certain.
template <class T>
std::vector<bin_range<T>> near_zero_ranges() {
  if constexpr (sizeof(T) == 4) {
    return {{-0x1.0c1cf8p+0f, 0x1.0c1cf8p+0f, 596},
            {-0x1.14214p+0f, 0x1.14214p+0f, 2515},
            {-0x1.02175ap-1f, 0x1.55de46p-2f, 3939},
            {-0x1.0f73cep-1f, 0x1.df1c7p-3f, 57308}};
  } else {
    return {{-0x1.7df02980462cep+0, 0x1.7df02980462cep+0, 3338},
            {-0x1.bbe807348fd5ap-1, 0x1.1da9349ebae72p-1, 2921},
            {-0x1.2e3b2ee816f8cp+0, 0x1.2e3b2ee816f8cp+0, 42065},
            {-0x1.6b92e2fd150b6p+0, 0x1.6b92e2fd150b6p+0, 57770}};
  }
}

/// Returns each edge, and the two numbers of T below and above it.
template <class T>
std::vector<T> neighbours_of(const std::vector<T>& edges) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T edge : edges) {
    T x = std::nextafter(std::nextafter(edge, limits::lowest()), limits::lowest());
    for (int step = 0; step < 5; ++step, x = std::nextafter(x, limits::max())) values.push_back(x);
  }
  return values;
}

}  // namespace tandem::test
