// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>

namespace tandem {

namespace host {

/// 1 / sqrt(x), at most one unit in the last place off.
[[gnu::always_inline]] constexpr float nearly_rsqrt(float x) { return 1.0f / sqrt(x); }

}  // namespace host

namespace detail::math {

/// cbrt(x) for normal x > 0, from a third of its exponent and two Halley steps, each of which
/// triples the number of correct bits.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double nearly_cbrt(double x) {
  const std::uint64_t third = (bits_of(x) >> 32) * 0x55555556 >> 32;
  double y = double_of((third + 0x2a9f7893) << 32);
  for (int step = 0; step < 2; ++step) {
    const double cube = y * y * y;
    y *= (cube + 2.0 * x) / (2.0 * cube + x);
  }
  return y;
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float cbrt(float x) {
  const double a = static_cast<double>(abs(x));
  const double y = nearly_cbrt(a);
  const double value = y - (y * y * y - a) / (3.0 * y * y);
  const bool usual = a > 0.0 && a < infinity;
  return usual ? with_sign_of(static_cast<float>(value), x) : x;
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cbrt(double x) {
  const bool subnormal = abs(x) < 0x1p-1022;
  const bool huge = abs(x) > 0x1p1020;  // three times x may overflow
  const double a = abs(x) * (subnormal ? 0x1p54 : huge ? 0x1p-54 : 1.0);
  const double y = nearly_cbrt(a);
  const double square = y * y;
  const double rest = fma(fma(y, y, -square), y, fma(square, y, -a));
  const double value = y - rest / (3.0 * square);
  const bool usual = a > 0.0 && a < infinity;
  return usual ? with_sign_of(value * (subnormal ? 0x1p-18 : huge ? 0x1p18 : 1.0), x) : x;
}

/// 1 / sqrt(x), correctly rounded. 1 - (x y) y in two parts corrects the estimate y of every float,
/// that of a host and that of a device, as the exhaustive tests show.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float rsqrt(float x) {
  if constexpr (has_fast_fma) {
    const bool is_subnormal = on_device && x < 0x1p-126f;  // zero to a device's estimate
    const float scaled = is_subnormal ? x * 0x1p24f : x;
    const float y = target::nearly_rsqrt(scaled);
    const float product = scaled * y;
    const float error = fma(-fma(scaled, y, -product), y, fma(-product, y, 1.0f));
    const float corrected = fma(fma(0.375f, error, 0.5f), y * error, y);
    const float value = corrected == corrected ? corrected : y;  // no error of zeros and infinity
    return is_subnormal ? value * 0x1p12f : value;
  } else {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
  }
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double rsqrt(double x) {
  const double y = 1.0 / sqrt(x);
  const double product = x * y;
  const double error = fma(-product, y, 1.0) - fma(x, y, -product) * y;
  const double value = fma(0.5 * y, error, y);
  return x > 0.0 && x < infinity ? value : y;
}

/// sqrt(x^2 + y^2) in two parts, for numbers whose squares are far from the limits of the range.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two hypot_in_two(double x, double y) {
  const double xx = x * x;
  const double yy = y * y;
  const auto [sum, lost] = exact_sum(xx, yy);
  const double low = lost + (fma(x, x, -xx) + fma(y, y, -yy));
  const double root = sqrt(sum);
  return {root, root > 0.0 ? (fma(-root, root, sum) + low) / (2.0 * root) : 0.0};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float hypot(float x, float y) {
  const auto [high, low] = hypot_in_two(static_cast<double>(x), static_cast<double>(y));
  const bool infinite =
      abs(x) == static_cast<float>(infinity) || abs(y) == static_cast<float>(infinity);
  return infinite ? static_cast<float>(infinity) : rounded_once(high, low);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double hypot(double x, double y) {
  const double largest = abs(x) > abs(y) ? abs(x) : abs(y);
  const double up = largest > 0x1p500 ? 0x1p-600 : (largest < 0x1p-400 ? 0x1p600 : 1.0);
  const double down = largest > 0x1p500 ? 0x1p600 : (largest < 0x1p-400 ? 0x1p-600 : 1.0);
  const auto [high, low] = hypot_in_two(x * up, y * up);
  const bool infinite = abs(x) == infinity || abs(y) == infinity;
  return infinite ? infinity : (high + low) * down;
}

}  // namespace detail::math

/// Cube root; negative for negative numbers.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T cbrt(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::cbrt(static_cast<float>(x)));
  } else {
    return detail::math::cbrt(x);
  }
}

/// 1 / sqrt(x). rsqrt(0) = inf with the sign of the zero, NaN for negative x.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T rsqrt(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::rsqrt(static_cast<float>(x)));
  } else {
    return detail::math::rsqrt(x);
  }
}

/// sqrt(x^2 + y^2) without intermediate overflow; infinite if x or y is, even if the other is NaN.
///
/// @param x, y  float, double, half or bf16
/// Accuracy     float: correctly rounded; double: below 1 ulp; half and bf16:
///              float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T hypot(T x, T y) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::hypot(static_cast<float>(x), static_cast<float>(y)));
  } else {
    return detail::math::hypot(x, y);
  }
}

}  // namespace tandem
