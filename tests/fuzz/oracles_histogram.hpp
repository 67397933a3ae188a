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

/// The scale of sums of at most `terms` weights, none larger in magnitude than `largest`.
struct sum_scale {
  sum_scale(double largest, std::uint64_t terms) {
    if (largest > 0x1p-1022 && std::frexp(largest, &exponent) == 0.5) --exponent;
    while ((std::uint64_t{1} << m) < terms) ++m;
    q = std::min(62 - m - exponent, 1022);
  }

  int exponent = -1022;  ///< E: magnitudes above 2^E exceed the scale
  int m = 0;
  int q = 0;
};

/// A sum of weights: integers at one scale, added exactly.
template <class W>
class weighted_sum {
 public:
  void add(const sum_scale& scale, W w) {
    if (std::isnan(w)) nan_ = true;
    if (std::isinf(w)) (w > 0 ? above_ : below_) = true;
    if (!std::isfinite(w)) return;
    const double scaled = std::ldexp(static_cast<double>(w), scale.q);
    const double whole = std::nearbyint(scaled);
    whole_ += static_cast<std::int64_t>(whole);
    if (std::is_same_v<W, double>) {
      const double rest = std::ldexp(scaled - whole, 63 - scale.m);
      fraction_ += static_cast<std::int64_t>(std::nearbyint(rest));
    }
  }

  W result(const sum_scale& scale) const {
    if (nan_ || (above_ && below_)) return std::numeric_limits<W>::quiet_NaN();
    if (above_) return std::numeric_limits<W>::infinity();
    if (below_) return -std::numeric_limits<W>::infinity();
    const auto a = static_cast<double>(whole_);
    if (std::is_same_v<W, float>) return static_cast<W>(std::ldexp(a, -scale.q));
    const auto rest = static_cast<double>(static_cast<__int128>(whole_) - static_cast<__int128>(a));
    const double low = rest + std::ldexp(static_cast<double>(fraction_), scale.m - 63);
    return static_cast<W>(std::ldexp(a + low, -scale.q));
  }

  bool is_finite() const { return !nan_ && !above_ && !below_; }

 private:
  std::int64_t whole_ = 0;
  std::int64_t fraction_ = 0;
  bool nan_ = false;
  bool above_ = false;
  bool below_ = false;
};

/// Sums of weights by bin. The scale is that of the largest weight with a bin; bins with small
/// weights alone have scales for themselves.
template <class W>
class weighted_sums {
 public:
  /// `terms` weights, whether or not they have bins.
  weighted_sums(std::uint64_t terms, index_t bins)
      : terms_(terms), weights_(static_cast<std::size_t>(bins)) {}

  void add(index_t bin, W w) {
    weights_[static_cast<std::size_t>(bin)].push_back(w);
    largest_ = std::fmax(largest_, magnitude(w));
  }

  W result(index_t bin) const {
    const std::vector<W>& weights = weights_[static_cast<std::size_t>(bin)];
    const sum_scale scale(largest_, terms_);
    const weighted_sum<W> sum = sum_of(weights, scale);
    const int range = std::max(std::is_same_v<W, float> ? 36 - scale.m : 70 - 2 * scale.m, 12);
    const double small = std::ldexp(1.0, scale.exponent - range);
    double own = 0;
    for (const W w : weights) own = std::fmax(own, magnitude(w));
    if (!sum.is_finite() || own == 0 || own >= small) return sum.result(scale);
    const sum_scale own_scale(own, terms_);
    return sum_of(weights, own_scale).result(own_scale);
  }

 private:
  static double magnitude(W w) {
    return std::isfinite(w) ? std::fabs(static_cast<double>(w)) : 0.0;
  }
  static weighted_sum<W> sum_of(const std::vector<W>& weights, const sum_scale& scale) {
    weighted_sum<W> sum;
    for (const W w : weights) sum.add(scale, w);
    return sum;
  }

  std::uint64_t terms_;
  std::vector<std::vector<W>> weights_;
  double largest_ = 0;
};

}  // namespace tandem::fuzz::oracle
