// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>
#include <tandem/core/math/exponential.hpp>
#include <tandem/core/math/polynomials.hpp>

namespace tandem {

namespace detail::math {

inline constexpr double half_pi = 0x1.921fb54442d18p+0;
inline constexpr double half_pi_low = 0x1.1a62633145c07p-54;

/// atan(y / x) for y, x >= 0; at least one is positive, and both are far from the limits of the
/// range.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two atan_of_ratio(double y, double x) {
  const bool steep = y > x * 0x1.3504f333f9de6p+1;   // tan(3 pi / 8)
  const bool level = y <= x * 0x1.a827999fcef32p-2;  // tan(pi / 8)
  const sum_of_two over =
      level ? sum_of_two{y, 0.0} : (steep ? sum_of_two{-x, 0.0} : exact_sum(y, -x));
  const sum_of_two under =
      level ? sum_of_two{x, 0.0} : (steep ? sum_of_two{y, 0.0} : exact_sum(y, x));
  const double base = level ? 0.0 : (steep ? half_pi : 0.5 * half_pi);
  const double base_low = level ? 0.0 : (steep ? half_pi_low : 0.5 * half_pi_low);
  const auto [t, lost] = [&] {
    if constexpr (std::is_same_v<A, fused>) {
      return quotient(over, under);
    } else {
      return sum_of_two{over.high / under.high, 0.0};
    }
  }();
  const double square = t * t;
  const double tail = A::multiply_add(t * square, atan_tail<A>(square), lost + base_low);
  const auto [high, low] = exact_sum(base, t);
  return {high, low + tail};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float atan(float x) {
  const auto [high, low] =
      atan_of_ratio<quick>(static_cast<double>(clamped(abs(x), 0.0, 0x1p100)), 1.0);
  const float value = corrected<0x3d8d6b233d8d31c3>(abs(x), static_cast<float>(high + low));
  return x == 0.0f ? x : with_sign_of(value, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double atan(double x) {
  const auto [high, low] = atan_of_ratio<fused>(clamped(abs(x), 0.0, 0x1p100), 1.0);
  return abs(x) < 0x1p-30 ? x : with_sign_of(high + low, x);
}

/// asin(t) - t for 0 <= t <= 1/2 or, if t^2 is given, near it.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double asin_rest(double t, double square) {
  return t * square * asin_tail<A>(square);
}

/// sqrt((1 - x) / 2) for 1/2 <= x <= 1: the sine of half the angle.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two half_sine(double square) {
  const double root = sqrt(square);
  if constexpr (std::is_same_v<A, fused>) {
    return {root, root > 0.0 ? fma(-root, root, square) / (2.0 * root) : 0.0};
  } else {
    return {root, 0.0};
  }
}

/// asin(x) for 0 <= x <= 1; acos(x) for -1 <= x <= 1; otherwise NaN.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double asin_of(double x) {
  const bool large = x > 0.5;
  const double square = large ? 0.5 - 0.5 * x : x * x;
  const auto [root, lost] = half_sine<A>(large ? square : 0.25);
  const double t = large ? root : x;
  const double rest = asin_rest<A>(t, square);
  const auto [high, low] = exact_sum(half_pi, -2.0 * t);
  return large ? high - (2.0 * (rest + lost) - (half_pi_low + low)) : t + rest;
}
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double acos_of(double x) {
  const bool large = abs(x) > 0.5;
  const double square = large ? 0.5 - 0.5 * abs(x) : x * x;
  const auto [root, lost] = half_sine<A>(large ? square : 0.25);
  const double t = large ? root : x;
  const double rest = asin_rest<A>(t, square) + (large ? lost : 0.0);
  const double times = large ? 2.0 : 1.0;
  const double from = large ? 2.0 * half_pi : half_pi;
  const double from_low = large ? 2.0 * half_pi_low : half_pi_low;
  const auto [high, low] = exact_sum(from, -times * t);
  const double below = high - (times * rest - (from_low + low));
  return x > 0.5 ? 2.0 * (t + rest) : below;
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float asin(float x) {
  const float value = static_cast<float>(asin_of<quick>(static_cast<double>(abs(x))));
  return x == 0.0f ? x : with_sign_of(value, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double asin(double x) {
  return abs(x) < 0x1p-30 ? x : with_sign_of(asin_of<fused>(abs(x)), x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float acos(float x) {
  const float value = static_cast<float>(acos_of<quick>(static_cast<double>(x)));
  return corrected<0x328885a33fc90fdb, 0x398262223fc907b5>(x, value);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double acos(double x) { return acos_of<fused>(x); }

/// atan2(|y|, x), with `left` for negative x; |x| and |y| must be 0 or far from the limits of the
/// range.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two angle_of(double y, double x,
                                                                     bool left) {
  const auto [high, low] = atan_of_ratio<fused>(y, y == 0.0 ? 1.0 : x);
  const auto [back, lost] = exact_sum(2.0 * half_pi, -high);
  const double back_low = lost + (2.0 * half_pi_low - low);
  const auto [sum, rest] = left ? exact_sum(back, back_low) : exact_sum(high, low);
  return {sum, rest};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float atan2(float y, float x) {
  const bool left = (bits_of(x) >> 31) != 0;
  const auto [high, low] = angle_of(clamped(static_cast<double>(abs(y)), 0.0, 0x1p300),
                                    clamped(static_cast<double>(abs(x)), 0.0, 0x1p300), left);
  const float value = high == 0.0 ? 0.0f : rounded_once(high, low);
  return is_nan(x) || is_nan(y) ? x + y : with_sign_of(value, y);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double atan2(double y, double x) {
  const bool left = (bits_of(x) >> 63) != 0;
  const double a = abs(y);
  const double b = abs(x);
  const double larger = a > b ? a : b;
  const double scale = larger > 0x1p900 ? 0x1p-200 : (larger < 0x1p-500 ? 0x1p200 : 1.0);
  const double over = a == infinity ? 0x1p900 : (b == infinity ? 0.0 : a * scale);
  const double under = b == infinity ? 0x1p900 : (a == infinity ? 0.0 : b * scale);
  const auto [high, low] = angle_of(over, under, left);
  return is_nan(x) || is_nan(y) ? x + y : with_sign_of(high + low, y);
}

}  // namespace detail::math

/// Arc sine in [-pi/2, pi/2]; NaN for |x| > 1.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T asin(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::asin(static_cast<float>(x)));
  } else {
    return detail::math::asin(x);
  }
}

/// Arc cosine in [0, pi]; NaN for |x| > 1.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T acos(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::acos(static_cast<float>(x)));
  } else {
    return detail::math::acos(x);
  }
}

/// Arc tangent in [-pi/2, pi/2].
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T atan(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::atan(static_cast<float>(x)));
  } else {
    return detail::math::atan(x);
  }
}

/// Angle of the point (x, y) in [-pi, pi]; zeros and infinities as in C.
///
/// @param y, x  float, double, half or bf16
/// Accuracy     float: rounded from more than 54 bits; double: below 1 ulp; half and bf16:
///              float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T atan2(T y, T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::atan2(static_cast<float>(y), static_cast<float>(x)));
  } else {
    return detail::math::atan2(y, x);
  }
}

}  // namespace tandem
