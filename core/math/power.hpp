// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/exponential.hpp>
#include <tandem/core/math/logarithm.hpp>

namespace tandem {

namespace detail::math {

/// log2(x) for x > 0, to about 68 bits. The first terms of the series of log((1 + s) / (1 - s)) are
/// summed in two parts each.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two log2_in_two(double x) {
  const auto [k, f] = split_any(x);
  const sum_of_two s = quotient({f, 0.0}, exact_sum(2.0, f));
  const sum_of_two z = product(s, s);
  const double tail = z.high * log_tail_from_z3<fused>(z.high);
  const sum_of_two fifth = exact_sum(0x1.999999999999ap-2, tail + -0x1.999999999999ap-56);
  const sum_of_two third = sum({0x1.5555555555555p-1, 0x1.5555555555555p-55}, product(z, fifth));
  const sum_of_two log = sum({2.0 * s.high, 2.0 * s.low}, product(s, product(z, third)));
  return sum({k, 0.0}, product(log, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}));
}

/// 2^(x.high + x.low) over 2^k, with k in the lowest bits of the returned sum.
struct power_parts {
  double high;
  double low;
  double exponent;  ///< k + to_integer
};
[[gnu::always_inline]] TANDEM_FUNCTION constexpr power_parts exp2_in_two(sum_of_two x) {
  const double exponent = x.high + to_integer;
  const auto [r, r_low] = exact_sum(x.high - (exponent - to_integer), x.low);
  const sum_of_two t = product({r, r_low}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  const sum_of_two value = exp_in_two(t);
  return {value.high, value.low, exponent};
}

/// |x|^y before special values; the exponent is clamped to the range of scaled().
[[gnu::always_inline]] TANDEM_FUNCTION constexpr power_parts power_of(double x, double y) {
  const double usual = x > 0.0 && x < infinity ? x : 1.0;
  const double times = clamped(y, -0x1p70, 0x1p70);
  const sum_of_two log = log2_in_two(usual);
  const double high = log.high * times;
  const bool distant = !(abs(high) < 1090.0);
  const double low = fma(log.high, times, -high) + log.low * times;
  return exp2_in_two({distant ? with_sign_of(1090.0, high) : high, distant ? 0.0 : low});
}

/// The results of pow for the arguments that C's Annex F lists; otherwise `magnitude`, negated for
/// an odd power of a negative number.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T power_or_special(T x, T y, T magnitude) {
  const T infinite = static_cast<T>(infinity);
  const T half_y = T{0.5} * y;
  const bool whole = floor(y) == y;  // also infinities
  // Without &&, because g++ 12 does not vectorise a choice between truth values.
  const bool odd = bool(int(whole) & int(abs(y) < infinite) & int(floor(half_y) != half_y));
  const T a = abs(x);
  T value = magnitude;
  value = a == T{0} || a == infinite ? ((a == T{0}) == (y < T{0}) ? infinite : T{0}) : value;
  value = abs(y) == infinite ? ((a < T{1}) == (y < T{0}) ? infinite : T{0}) : value;
  value = abs(y) == infinite && a == T{1} ? T{1} : value;
  value = x < T{0} && a < infinite && !whole ? static_cast<T>(quiet_nan) : value;
  value = odd ? with_sign_of(value, x) : value;
  value = is_nan(x) || is_nan(y) ? x + y : value;
  return x == T{1} || y == T{0} ? T{1} : value;
}

/// A result within 2^-55 of a number with 25 bits is that number: only exact powers are that close.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float pow(float x, float y) {
  const auto [high, low, exponent] = power_of(static_cast<double>(abs(x)), static_cast<double>(y));
  const double nearby = double_of((bits_of(high) + 0x08000000) & ~std::uint64_t{0x0fffffff});
  const bool exact = abs((high - nearby) + low) < 0x1p-55;
  const double k = exponent - to_integer;
  const double scale = double_of(bits_of(clamped(k, -300.0, 300.0) + to_integer + 1023.0) << 52);
  const float magnitude =
      rounded_once((exact ? nearby : high) * scale, (exact ? 0.0 : low) * scale);
  return power_or_special(x, y, magnitude);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double pow(double x, double y) {
  const auto [high, low, exponent] = power_of(abs(x), y);
  return power_or_special(x, y, scaled(high + low, exponent));
}

}  // namespace detail::math

/// x^y, with the special values of C: pow(x, 0) = pow(1, y) = 1 even for NaN; NaN for negative x
/// and a y that is not an integer.
///
/// @param x, y  float, double, half or bf16
/// Accuracy     float: rounded from more than 58 bits; double: below 1 ulp; half and bf16:
///              float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T pow(T x, T y) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::pow(static_cast<float>(x), static_cast<float>(y)));
  } else {
    return detail::math::pow(x, y);
  }
}

}  // namespace tandem
