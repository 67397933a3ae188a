// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/reducers.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reproducible sums, whose bits do not depend on the order of addition: fixed point in 64-bit
/// integers. Weighted histograms, scatter_add and order_free_sum add by this rule.
///
/// For n terms w, counted or not, with the largest finite magnitude M of those that are counted:
///
///   m = ceil(log2(n)), 0 for n = 1
///   E = the exponent with M = f * 2^E, f in (1/2, 1]; -1022 if M is 2^-1022 or less
///   q = min(62 - m - E, 1022);  p = 63 - m
///
///   whole    = rint(w * 2^q)                  at most 2^(62 - m), so n of them add up to 2^62
///   fraction = rint((w * 2^q - whole) * 2^p)  the same; for double weights only
///
/// With W and F, the sums of whole and fraction over a bin of finite weights, the bin's sum is
///
///   float:   float(double(W) * 2^-q)
///   double:  (a + (double(W - a) + double(F) * 2^-p)) * 2^-q  with a = double(W)
///
/// All arithmetic is in double, rounded to nearest, ties to even. Products with powers of two are
/// exact whenever they are added to something, so contraction does not matter.
///
/// Terms below 2^(E - s), s = max(36 - m, 12) for float and max(70 - 2 m, 12) for double, are
/// small: the integers keep few of their bits. A bin whose terms are all small or zero is summed
/// again by the same rule with the largest of its own terms for M, so that a bin is not lost beside
/// larger ones.
///
/// The error of a bin of k weights is thus at most k * 2^-27 (float) or k * 2^-53 (double) times
/// its largest term, plus the final rounding. This is for m up to 24 and 30; each unit of m beyond
/// doubles the first bound and quadruples the second. Both are for terms of 2^-900 or more. Floats
/// within a factor 2^(38 - m) of M are summed exactly.
///
/// Weights that are not finite are recorded separately: a bin with a NaN, or with both infinities,
/// is NaN; a bin with one infinity is that infinity.
namespace tandem {

/// The scale of fixed-point sums of `W` and its two conversions. Constructed wherever the largest
/// magnitude is known, on any backend.
template <std::floating_point W>
class fixed_point {
 public:
  /// 64-bit integers that a sum takes.
  static constexpr std::size_t limbs = sizeof(W) == 4 ? 1 : 2;

  /// @param largest  the largest finite |w|, or a bound on it; 0 if there is none
  /// @param n        number of terms, or a bound on it, n >= 1
  TANDEM_FUNCTION fixed_point(W largest, index_t n) {
    int m = 0;
    while (m < 62 && (index_t{1} << m) < n) ++m;
    const int exponent = exponent_of(static_cast<double>(largest));
    int q = 62 - m - exponent;
    if (q > 1022) q = 1022;
    scale_ = power_of_two(q);
    inverse_scale_ = power_of_two(-q);
    fraction_scale_ = power_of_two(63 - m);
    inverse_fraction_scale_ = power_of_two(m - 63);
    exponent_ = exponent;
    limit_ = exponent < 1024 ? power_of_two(exponent) : 0x1.fffffffffffffp1023;
    int s = limbs == 1 ? 36 - m : 70 - 2 * m;
    if (s < 12) s = 12;
    small_ = exponent - s < -1022 ? 0 : static_cast<W>(power_of_two(exponent - s));
    most_of_small_ = 62 - m - s < 0 ? 1 : std::int64_t{1} << (62 - m - s);
  }

  /// Returns E of a magnitude, the only property on which the scale depends. A power of two has the
  /// E of the numbers below it, so that uniform numbers have one E whether or not their bound is
  /// among them.
  TANDEM_FUNCTION static int exponent_of(double largest) {
    const auto bits = __builtin_bit_cast(std::uint64_t, largest);
    return static_cast<int>((bits == 0 ? 0 : bits - 1) >> 52) - 1022;
  }

  /// E, the exponent of the largest magnitude that the scale was made for.
  TANDEM_FUNCTION int exponent() const { return exponent_; }

  /// Whether a term is finite and its part is small enough to add n of them: |w| <= 2^E.
  TANDEM_FUNCTION bool holds(W w) const { return tandem::abs(static_cast<double>(w)) <= limit_; }

  /// 2^(E - s): finite terms below it, other than 0, are small.
  TANDEM_FUNCTION W small_limit() const { return small_; }
  TANDEM_FUNCTION bool is_small(W w) const { return w != 0 && tandem::abs(w) < small_; }
  /// Whether terms that are small or zero, at most `count` of them small, can have a sum with this
  /// first limb; 0 <= count <= n.
  TANDEM_FUNCTION bool may_be_small(std::uint64_t sum, index_t count) const {
    const auto whole = static_cast<std::int64_t>(sum);
    return -count * most_of_small_ <= whole && whole <= count * most_of_small_;
  }

  /// 2^q, the factor that turns a term into an integer.
  TANDEM_FUNCTION double scale() const { return scale_; }
  /// 2^p, the factor for the remainder that the integer leaves of a double.
  TANDEM_FUNCTION double fraction_scale() const { return fraction_scale_; }

  /// Splits a finite weight into its parts of a bin's sum: limbs numbers, to be added modulo 2^64.
  TANDEM_FUNCTION void split(W w, std::uint64_t (&parts)[limbs]) const {
    const double scaled = static_cast<double>(w) * scale_;
    const std::int64_t whole = nearest_integer(scaled);
    parts[0] = static_cast<std::uint64_t>(whole);
    if constexpr (limbs == 2) {
      const double fraction = (scaled - static_cast<double>(whole)) * fraction_scale_;
      parts[1] = static_cast<std::uint64_t>(nearest_integer(fraction));
    }
  }

  /// Returns the sum of a bin from its limbs.
  TANDEM_FUNCTION W join(const std::uint64_t (&sums)[limbs]) const {
    const auto whole = static_cast<std::int64_t>(sums[0]);
    const double rounded = static_cast<double>(whole);
    if constexpr (limbs == 1) {
      return static_cast<W>(rounded * inverse_scale_);
    } else {
      const double rest = static_cast<double>(whole - static_cast<std::int64_t>(rounded));
      const double fraction =
          static_cast<double>(static_cast<std::int64_t>(sums[1])) * inverse_fraction_scale_;
      return (rounded + (rest + fraction)) * inverse_scale_;
    }
  }

 private:
  TANDEM_FUNCTION static double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }

  /// rint(x) for |x| < 2^63.
  TANDEM_FUNCTION static std::int64_t nearest_integer(double x) {
    return detail::target::nearest_integer(x);
  }

  double scale_;
  double inverse_scale_;
  double fraction_scale_;
  double inverse_fraction_scale_;
  double limit_;
  W small_;
  int exponent_;
  std::int64_t most_of_small_;  // the largest first limb of a small term
};

/// What is noted of a bin's weights, or'ed together: those that are not finite, small ones, and, if
/// they are told from zeros, others.
enum weight_flag : std::uint32_t {
  weight_is_finite = 0,
  weight_is_nan = 1,
  weight_is_infinite = 2,
  weight_is_minus_infinite = 4,
  weight_is_too_large = 8,  ///< only for order_free_sum, whose bound the user gives
  weight_is_small = 16,     ///< finite: fixed_point::is_small
  weight_is_not_small = 32  ///< finite, neither small nor zero
};

/// weight_is_not_small if `sum`, the first limb of a bin at `scale`, shows a weight that is neither
/// small nor zero; at most `small_count` of its weights are small, and 0 says that none is.
template <std::floating_point W>
TANDEM_FUNCTION std::uint32_t not_small_flag(const fixed_point<W>& scale, std::uint64_t sum,
                                             index_t small_count) {
  return scale.may_be_small(sum, small_count) ? weight_is_finite : weight_is_not_small;
}

/// The flags of weights that have no integers.
inline constexpr std::uint32_t flags_of_no_integer =
    weight_is_nan | weight_is_infinite | weight_is_minus_infinite | weight_is_too_large;

/// The weight_flag of w.
template <std::floating_point W>
TANDEM_FUNCTION constexpr std::uint32_t classify_weight(W w) {
  if (tandem::abs(w) <= detail::largest_of<W>) return weight_is_finite;
  if (is_nan(w)) return weight_is_nan;
  return w > 0 ? weight_is_infinite : weight_is_minus_infinite;
}

/// Returns the sum of a bin that has flags set.
template <std::floating_point W>
TANDEM_FUNCTION constexpr W sum_of_flags(std::uint32_t flags) {
  if (flags == weight_is_infinite) return detail::infinity_of<W>;
  if (flags == weight_is_minus_infinite) return -detail::infinity_of<W>;
  return detail::nan_of<W>;
}

/// Reduces to the largest finite magnitude, 0 if there is none: exact in any order.
template <std::floating_point W>
struct largest_finite : maximum<W> {
  template <class Term>
  TANDEM_FUNCTION constexpr W lift(Term w, index_t) const {
    const W magnitude = tandem::abs(w);
    return magnitude <= detail::largest_of<W> ? magnitude : W{0};
  }
  /// Returns the larger one; no term is NaN.
  TANDEM_FUNCTION constexpr W combine(W a, W b) const { return a < b ? b : a; }
  TANDEM_FUNCTION constexpr W identity() const { return W{0}; }
  TANDEM_FUNCTION constexpr W empty() const { return W{0}; }
};

}  // namespace tandem
