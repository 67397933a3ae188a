// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/exponential.hpp>

namespace tandem {

namespace detail::math {

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float sinh(float x) {
  const double q = expm1_in_range<quick>(static_cast<double>(clamped(abs(x), 0.0, 160.0)));
  const float value =
      corrected<0x3a1285ff3a1285ff>(abs(x), static_cast<float>(0.5 * (q + q / (q + 1.0))));
  return x == 0.0f ? x : with_sign_of(value, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float cosh(float x) {
  const double e = exp_in_range<quick>(static_cast<double>(clamped(abs(x), 0.0, 160.0)));
  return static_cast<float>(0.5 * (e + 1.0 / e));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float tanh(float x) {
  const double q = expm1_in_range<quick>(2.0 * static_cast<double>(clamped(abs(x), 0.0, 20.0)));
  return x == 0.0f ? x : with_sign_of(static_cast<float>(q / (q + 2.0)), x);
}

/// exp(x) / 2 for x > 40, even if exp(x) is infinite.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double half_exp(double x) {
  const exponent_split split = split_exponent(clamped(x, 0.0, 720.0));
  return scaled(1.0 + exp_fraction(split), split.sum - 1.0);
}

/// high + low + `more`, for parts ordered by size.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two add(sum_of_two x, double more) {
  const auto [sum, lost] = exact_sum(x.high, more);
  return {sum, lost + x.low};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sinh(double x) {
  const double y = abs(x);
  const sum_of_two q = expm1_in_two(clamped(y, 0.0, 41.0));
  const sum_of_two ratio = quotient(q, add(q, 1.0));
  const auto [sum, lost] = exact_sum(q.high, ratio.high);
  const double nearby = 0.5 * (sum + (lost + (q.low + ratio.low)));
  return y < 0x1p-30 ? x : with_sign_of(y > 40.0 ? half_exp(y) : nearby, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cosh(double x) {
  const double y = abs(x);
  const sum_of_two e = add(expm1_in_two(clamped(y, 0.0, 41.0)), 1.0);
  const sum_of_two inverse = quotient({1.0, 0.0}, e);
  const auto [sum, lost] = exact_sum(e.high, inverse.high);
  const double nearby = 0.5 * (sum + (lost + (e.low + inverse.low)));
  return y > 40.0 ? half_exp(y) : nearby;
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double tanh(double x) {
  const double y = abs(x);
  const sum_of_two q = expm1_in_two(2.0 * clamped(y, 0.0, 20.0));
  const auto [high, low] = quotient(q, add(q, 2.0));
  return y < 0x1p-30 ? x : with_sign_of(high + low, x);
}

}  // namespace detail::math

/// Hyperbolic sine.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T sinh(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::sinh(static_cast<float>(x)));
  } else {
    return detail::math::sinh(x);
  }
}

/// Hyperbolic cosine.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T cosh(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::cosh(static_cast<float>(x)));
  } else {
    return detail::math::cosh(x);
  }
}

/// Hyperbolic tangent.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T tanh(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::tanh(static_cast<float>(x)));
  } else {
    return detail::math::tanh(x);
  }
}

}  // namespace tandem
