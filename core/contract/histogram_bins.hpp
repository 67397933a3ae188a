// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Finds the bin of a value in a histogram: one rule for each way to specify bins, the same code on
/// every backend.
///
/// A rule has
///   locate(x)  the bin of x, or no_bin; this is the definition
///   guess(x)   a fast branch-free answer, and whether it certainly equals locate's
/// A kernel counts the certain guesses and calls locate() for the others.
namespace tandem {

/// Equal bins over [lo, hi]. Values equal to hi fall into the last bin.
template <std::floating_point T>
struct uniform_bins {
  T lo;
  T hi;
};

/// Bin b holds the value first + b.
struct integer_bins {
  index_t first = 0;
};

/// The answer of locate() for NaN and for values outside.
inline constexpr index_t no_bin = -1;

/// A bin, and whether it is certain. It is no bin if it is not below the number of bins (compared
/// as unsigned).
template <class Index>
struct bin_guess {
  Index bin;
  bool certain;
};

namespace host {

inline double rounded_product(double a, double b) {
  volatile double product = a * b;  // a stored value is rounded
  return product;
}

}  // namespace host

namespace detail {

/// a * b, rounded: no compiler may contract it into a sum, whatever its flags.
TANDEM_FUNCTION inline double rounded_product(double a, double b) {
  return target::rounded_product(a, b);
}

}  // namespace detail

/// numpy.histogram's equal bins: its edges, in double and then rounded to T, are the definition.
///
///   delta = hi - lo;  step = delta / bins
///   edge(i) = T(lo + i * step), the product rounded;  edge(bins) = hi
///   where step underflows to 0, (i / bins) * delta stands for i * step
///   bin of x: none unless lo <= x <= hi; else the largest b < bins with edge(b) <= x
///
/// guess() estimates x's position among the edges, in units of a bin, with arithmetic in T. With
/// u = T's unit roundoff and m = max(|lo|, |hi|) / delta, the estimate and the edges differ from
/// their ideal by at most, in units of bins * u:
///
///                    inverse  offset  product  sum  the + 1 of locate  edges
///           float       1       m        m      1           1            m
///           double      2      2 m       m      1           1          3 + m
///
/// so an estimate that is further than the sum of these from every edge is certain. That holds with
/// or without fused multiply-adds, so compilation cannot change an answer.
template <std::floating_point T>
class uniform_bin_rule {
 public:
  using value_type = T;
  using index_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  /// Requires lo < hi, a finite hi - lo and 1 <= bins < 2^31.
  uniform_bin_rule(T lo, T hi, index_t bins);

  TANDEM_FUNCTION index_type bins() const { return static_cast<index_type>(bins_); }

  /// Returns edge i of bins + 1.
  TANDEM_FUNCTION T edge(int i) const {
    if (i == bins_) return hi_;
    if constexpr (sizeof(T) == 8) {  // differences of floats are too large for this
      if (step_ == 0)
        return origin_ + detail::rounded_product(static_cast<double>(i) / bins_, delta_);
    }
    return static_cast<T>(origin_ + detail::rounded_product(i, step_));
  }

  /// The constants of guess(), for backends with their own vector code: x * inverse + offset is the
  /// position of x less one half, in bins; the nearest integer is the bin if it is less than
  /// `certain` away.
  struct estimate {
    T inverse;
    T offset;
    T certain;
  };
  TANDEM_FUNCTION estimate numbers() const { return {inverse_, offset_, certain_}; }

  /// Whether the edge nearest to x's position in T is one of those around x, even if the position
  /// is counted from an edge other than the first: comparing x with that edge then decides.
  bool nearest_edge_decides() const { return nearest_decides_; }

  /// Returns the offset that turns x * numbers().inverse into x's position, counted from edge
  /// `first`.
  TANDEM_FUNCTION T position_offset(int first) const {
    return static_cast<T>(-(origin_ * static_cast<double>(inverse_)) - first);
  }

  TANDEM_FUNCTION bin_guess<index_type> guess(T x) const {
    // Adding 1.5 * 2^(digits - 1) puts the nearest integer into the low bits. The bits grow with
    // the value, so any value outside, however far, gives a number of at least bins; NaN and
    // infinities are never certain.
    constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
    const T position = position_less_half(x);
    const T rounded = position + magic;
    const T distance = position - (rounded - magic);
    return {__builtin_bit_cast(index_type, rounded) - __builtin_bit_cast(index_type, magic),
            tandem::abs(distance) < certain_};
  }

  TANDEM_FUNCTION index_t locate(T x) const {
    if (!(x >= lo_ && x <= hi_)) return no_bin;
    const int nearest = static_cast<int>(position_less_half(x) + T(1));
    // edge(low) <= x, and x < edge(high) or high is the last edge.
    int low = nearest > reach_ ? nearest - reach_ : 0;
    int high = nearest < bins_ - reach_ ? nearest + reach_ : bins_;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (x >= edge(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  /// Estimates (x - lo) / width - 1/2; the nearest integer is the bin.
  TANDEM_FUNCTION T position_less_half(T x) const {
    if constexpr (detail::on_device) {
      return tandem::fma(x, inverse_, offset_);
    } else {
      return x * inverse_ + offset_;  // fma would be a call on a CPU without it
    }
  }

  T lo_;
  T hi_;
  T inverse_ = 0;
  T offset_ = 0;
  T certain_ = -1;  // distance from a bin's middle up to which a guess is certain
  int bins_;
  int reach_;  // edges on either side of the nearest one that locate() searches
  bool nearest_decides_ = false;
  double origin_;  // lo
  double delta_;
  double step_;
};

template <std::floating_point T>
uniform_bin_rule<T>::uniform_bin_rule(T lo, T hi, index_t bins)
    : lo_(lo),
      hi_(hi),
      bins_(static_cast<int>(bins)),
      reach_(bins_),
      origin_(static_cast<double>(lo)),
      delta_(static_cast<double>(hi) - static_cast<double>(lo)),
      step_(delta_ / bins_) {
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  // The sums of the table above, 3 and 7, 3 m and 4 m, plus an allowance for terms in u^2.
  const double constant = sizeof(T) == 4 ? 4.0 : 8.0;
  const double proportional = sizeof(T) == 4 ? 3.25 : 4.5;
  const double inverse = bins_ / delta_;
  const double offset = -(origin_ * inverse) - 0.5;
  const auto smallest = static_cast<double>(std::numeric_limits<T>::min());
  const auto largest = static_cast<double>(std::numeric_limits<T>::max());
  // Otherwise the relative errors above do not hold, and locate() searches all edges.
  const bool normal = inverse >= smallest && inverse < largest && tandem::abs(offset) < largest;
  if (!normal) return;
  inverse_ = static_cast<T>(inverse);
  offset_ = static_cast<T>(-(origin_ * static_cast<double>(inverse_)) - 0.5);
  const double magnitude = tandem::max(tandem::abs(origin_), tandem::abs(static_cast<double>(hi)));
  const double margin = bins_ * unit * (constant + proportional * (magnitude / delta_));
  if (margin < 0.5) {
    certain_ = static_cast<T>(0.5 - margin);
    reach_ = 1;
    // Counting from another edge adds at most bins * u * (m + 1), less than the margin.
    nearest_decides_ = margin < 0.25;
  } else if (margin < bins_ - 2) {
    reach_ = static_cast<int>(margin) + 2;
  } else {
    inverse_ = offset_ = 0;  // the position is unknown and might not fit an int
  }
}

/// Whether integer_bin_rule<T, uint32_t> is correct for these bins: neither a value nor a bin's
/// value may exceed 32 bits.
template <std::integral T>
constexpr bool integer_bins_fit_32(index_t first, index_t bins) {
  if (sizeof(T) > 4 || bins > static_cast<index_t>(UINT32_MAX)) return false;
  const bool is_u32 = sizeof(T) == 4 && std::is_unsigned_v<T>;
  const index_t lowest = is_u32 ? 0 : INT32_MIN;
  const index_t highest = is_u32 ? static_cast<index_t>(UINT32_MAX) : INT32_MAX;
  return first >= lowest && first <= highest - (bins - 1);
}

/// Bin b holds the value first + b.
///
/// The difference is taken modulo 2^32 or 2^64 (`Index`): because first and the last bin's value
/// have a type of that size, no value outside can wrap around to a number below bins.
template <std::integral T, class Index = std::uint64_t>
class integer_bin_rule {
 public:
  using value_type = T;
  using index_type = Index;

  /// Requires that first + bins - 1 fits index_t, and first >= 0 if T is unsigned with 64 bits.
  integer_bin_rule(index_t first, index_t bins)
      : first_(static_cast<Index>(first)), bins_(static_cast<Index>(bins)) {}

  TANDEM_FUNCTION index_type bins() const { return bins_; }
  TANDEM_FUNCTION bin_guess<index_type> guess(T x) const {
    return {static_cast<Index>(static_cast<Index>(x) - first_), true};
  }
  TANDEM_FUNCTION index_t locate(T x) const {
    const Index bin = guess(x).bin;
    return bin < bins_ ? static_cast<index_t>(bin) : no_bin;
  }

 private:
  Index first_;
  Index bins_;
};

/// Bins between explicit edges in ascending order, equal ones allowed: the largest b < bins with
/// edges[b] <= x. Values equal to the last edge fall into the last bin.
template <class T>
class edge_bin_rule {
 public:
  using value_type = T;
  using index_type = std::uint32_t;

  /// Takes bins + 1 edges, which are not copied; 1 <= bins < 2^31.
  TANDEM_FUNCTION edge_bin_rule(const T* edges, index_t bins)
      : edges_(edges), bins_(static_cast<int>(bins)) {}

  TANDEM_FUNCTION index_type bins() const { return static_cast<index_type>(bins_); }
  TANDEM_FUNCTION const T* edges() const { return edges_; }
  TANDEM_FUNCTION bin_guess<index_type> guess(T x) const {
    return {static_cast<index_type>(locate(x)), true};
  }

  TANDEM_FUNCTION index_t locate(T x) const {
    if (!(x >= edges_[0] && x <= edges_[bins_])) return no_bin;
    int bin = 0;
    for (int left = bins_; left > 1;) {  // the answer is one of `left` bins starting at `bin`
      const int half = left / 2;
      bin += x >= edges_[bin + half] ? half : 0;
      left -= half;
    }
    return bin;
  }

 private:
  const T* edges_;
  int bins_;
};

/// Returns the bin of x: the guess if it is certain.
template <class Rule>
TANDEM_FUNCTION inline index_t find_bin(const Rule& rule, typename Rule::value_type x) {
  const auto guess = rule.guess(x);
  if (!guess.certain) return rule.locate(x);
  return guess.bin < rule.bins() ? static_cast<index_t>(guess.bin) : no_bin;
}

}  // namespace tandem
