// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/exponential.hpp>
#include <tandem/core/numbers/gelu.hpp>

namespace tandem {

namespace detail::math {

// Functions of float: erfc is 2 exp(-x^2) times a smooth function, the one of gelu().

/// erfc(x) for 0 <= x <= 28.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erfc_tail(double x) {
  const double square = x * x;
  const double lost = fma(x, x, -square);
  const double power = exp_in_range<quick>(-clamped(square, 0.0, 700.0));
  return 2.0 * scaled_normal_tail(x * 0x1.6a09e667f3bcdp+0) * (power - power * lost);
}

/// erf(x) for |x| <= 1.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erf_near_zero(double x) {
  return A::multiply_add(x, erf_quotient<A>(x * x), x);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float erf(float x) {
  const double a = static_cast<double>(clamped(abs(x), 0.0, 6.5));
  const double value = a < 1.0 ? erf_near_zero<quick>(a) : 1.0 - erfc_tail(a);
  return x == 0.0f ? x : static_cast<float>(with_sign_of(value, static_cast<double>(x)));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float erfc(float x) {
  const double a = static_cast<double>(clamped(abs(x), 0.0, 26.0));
  const double tail = erfc_tail(a);
  const double above = x < 0.0f ? 2.0 - tail : tail;
  const double value = a < 0.5 ? 1.0 - erf_near_zero<quick>(static_cast<double>(x)) : above;
  return corrected<0xb76c9f623f800085>(x, static_cast<float>(value));
}

// Functions of double: factors in two parts each, and one rounding at the end.

/// (x + 3) exp(x^2) erfc(x) for 1/2 <= x <= 27.5 and u = (x - 3) / (x + 3).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two scaled_erfc(sum_of_two u) {
  // The terms of the Taylor series at u = 0 that are summed in two parts.
  constexpr sum_of_two terms[] = {{0x1.12f21ddd9f5e2p+0, -0x1.962bf736a7417p-54},
                                  {-0x1.c44c471baa376p-1, -0x1.4cb75946441aap-55},
                                  {0x1.2e326945de2b8p-1, 0x1.fac6280ee75c7p-60},
                                  {-0x1.3deb21415dc70p-2, -0x1.12174acf5e747p-57}};
  const sum_of_two third = sum(terms[3], {u.high * erfc_tail_from_u4<fused>(u.high), 0.0});
  const sum_of_two second = sum(terms[2], product(u, third));
  const sum_of_two first = sum(terms[1], product(u, second));
  return sum(terms[0], product(u, first));
}

/// erfc(x) for 1/2 <= x <= 27.5, before it is rounded.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erfc_above_half(double x) {
  const double square = x * x;
  const exponent_split split = split_exponent(-square);
  const sum_of_two power = exp_in_two(exact_sum(split.high, split.low - fma(x, x, -square)));
  const sum_of_two base = exact_sum(x, 3.0);
  const sum_of_two factor = scaled_erfc(quotient(exact_sum(x, -3.0), base));
  const auto [high, low] = quotient(product(power, factor), base);
  return scaled(high + low, split.sum);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erf(double x) {
  const double a = clamped(abs(x), 0.0, 6.5);
  const double value =
      a < 0.5 ? erf_near_zero<fused>(a) : 1.0 - erfc_above_half(clamped(a, 0.5, 6.5));
  return abs(x) < 0x1p-1000 ? fma(x, 0x1.06eba8214db69p-3, x) : with_sign_of(value, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erfc(double x) {
  const double a = clamped(abs(x), 0.5, 27.5);
  const double tail = erfc_above_half(a);
  const double above = x < 0.0 ? 2.0 - tail : tail;
  const auto [rest, lost] = exact_sum(1.0, -x);
  const double near_zero = rest - fma(x, erf_quotient<fused>(x * x), -lost);
  return abs(x) < 0.5 ? near_zero : above;
}

}  // namespace detail::math

/// Error function.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T erf(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::erf(static_cast<float>(x)));
  } else {
    return detail::math::erf(x);
  }
}

/// 1 - erf(x), without the cancellation of the difference.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T erfc(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::erfc(static_cast<float>(x)));
  } else {
    return detail::math::erfc(x);
  }
}

}  // namespace tandem
