// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <tandem/core/extents.hpp>

/// "Histogram" of docs/numerics.md, implemented from that page alone.
namespace tandem::fuzz::oracle {

/// The edges e[0] .. e[bins] of equal bins over [lo, hi]: in double, the product is rounded, then
/// the sum.
template <class T>
std::vector<T> uniform_edges(T lo, T hi, index_t bins) {
  const double low = lo;
  const double high = hi;
  const double count = static_cast<double>(bins);
  const volatile double step = (high - low) / count;
  std::vector<T> edges;
  for (index_t i = 0; i < bins; ++i) {
    const double number = static_cast<double>(i);
    const volatile double product =  // volatile: rounded, whatever a compiler may fuse
        step == 0 ? (number / count) * (high - low) : number * step;
    edges.push_back(static_cast<T>(low + product));
  }
  edges.push_back(hi);
  return edges;
}

/// Returns bin b with e[b] <= x < e[b+1], or -1; the last bin is closed. NaN is in no bin.
template <class T>
index_t bin_between(const std::vector<T>& edges, T x) {
  const auto bins = static_cast<index_t>(edges.size()) - 1;
  if (!(x >= edges.front() && x <= edges.back())) return -1;
  // Finds the last edge below the topmost that is not above x; edges ascend.
  index_t low = 0;
  index_t high = bins - 1;
  while (low < high) {
    const index_t middle = (low + high + 1) / 2;
    if (edges[static_cast<std::size_t>(middle)] <= x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Returns bin b with x == first + b, or -1.
template <class T>
index_t bin_of_integer(index_t first, index_t bins, T x) {
  const __int128 b = static_cast<__int128>(x) - first;
  return b >= 0 && b < bins ? static_cast<index_t>(b) : -1;
}

/// Sums of weights: integers at one scale, added exactly.
template <class W>
class weighted_sums {
 public:
  weighted_sums(const std::vector<W>& weights, index_t bins)
      : weighted_sums(largest_of(weights), weights.size(), bins) {}

  /// At most `terms` weights, none larger in magnitude than `largest`.
  weighted_sums(double largest, std::uint64_t terms, index_t bins)
      : bins_(static_cast<std::size_t>(bins)), exponent_(-1022) {
    if (largest > 0x1p-1022 && std::frexp(largest, &exponent_) == 0.5) --exponent_;
    int m = 0;
    while ((std::uint64_t{1} << m) < terms) ++m;
    q_ = std::min(62 - m - exponent_, 1022);
    p_ = 63 - m;
  }

  /// E: magnitudes above 2^E exceed the scale.
  int exponent() const { return exponent_; }

  void add(index_t bin, W w) {
    sums& s = bins_[static_cast<std::size_t>(bin)];
    if (std::isnan(w)) s.nan = true;
    if (std::isinf(w)) (w > 0 ? s.above : s.below) = true;
    if (!std::isfinite(w)) return;
    const double scaled = std::ldexp(static_cast<double>(w), q_);
    const double whole = std::nearbyint(scaled);
    s.whole += static_cast<std::int64_t>(whole);
    if (std::is_same_v<W, double>)
      s.fraction += static_cast<std::int64_t>(std::nearbyint(std::ldexp(scaled - whole, p_)));
  }

  W result(index_t bin) const {
    const sums& s = bins_[static_cast<std::size_t>(bin)];
    if (s.nan || (s.above && s.below)) return std::numeric_limits<W>::quiet_NaN();
    if (s.above) return std::numeric_limits<W>::infinity();
    if (s.below) return -std::numeric_limits<W>::infinity();
    const auto a = static_cast<double>(s.whole);
    if (std::is_same_v<W, float>) return static_cast<W>(std::ldexp(a, -q_));
    const auto rest =
        static_cast<double>(static_cast<__int128>(s.whole) - static_cast<__int128>(a));
    const double low = rest + std::ldexp(static_cast<double>(s.fraction), -p_);
    return static_cast<W>(std::ldexp(a + low, -q_));
  }

 private:
  struct sums {
    std::int64_t whole = 0;
    std::int64_t fraction = 0;
    bool nan = false;
    bool above = false;
    bool below = false;
  };

  static double largest_of(const std::vector<W>& weights) {
    double largest = 0;
    for (const W w : weights) {
      if (std::isfinite(w)) largest = std::fmax(largest, std::fabs(static_cast<double>(w)));
    }
    return largest;
  }

  std::vector<sums> bins_;
  int exponent_;
  int q_;
  int p_;
};

}  // namespace tandem::fuzz::oracle
