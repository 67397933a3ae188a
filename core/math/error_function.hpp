// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/gelu.hpp>
#include <tandem/core/math/exponential.hpp>

namespace tandem {

namespace detail::math {

/// erfc(x) for 0 <= x <= 28: 2 exp(-x^2) times a smooth function, that of gelu().
template <class A>
TANDEM_FUNCTION constexpr double erfc_tail(double x) {
  const double square = x * x;
  const double lost = fma(x, x, -square);
  const double power = exp_in_range<A>(-held(square, 0.0, 700.0));
  return 2.0 * scaled_normal_tail(x * 0x1.6a09e667f3bcdp+0) * (power - power * lost);
}

/// erf(x) for |x| <= 1.
template <class A>
TANDEM_FUNCTION constexpr double erf_near_zero(double x) {
  return A::multiply_add(x, erf_quotient<A>(x * x), x);
}

template <class A>
TANDEM_FUNCTION constexpr double erf_of(double x) {
  const double a = held(abs(x), 0.0, 6.5);
  const double value = a < 1.0 ? erf_near_zero<A>(a) : 1.0 - erfc_tail<A>(a);
  return with_sign_of(value, x);
}
template <class A>
TANDEM_FUNCTION constexpr double erfc_of(double x) {
  const double a = held(abs(x), 0.0, 26.0);
  const double tail = erfc_tail<A>(a);
  const double above = x < 0.0 ? 2.0 - tail : tail;
  return a < 0.5 ? 1.0 - erf_near_zero<A>(x) : above;
}

TANDEM_FUNCTION constexpr float erf(float x) {
  const float value = static_cast<float>(erf_of<quick>(x));
  return x == 0.0f ? x : value;
}
TANDEM_FUNCTION constexpr float erfc(float x) {
  return corrected<0xb76c9f623f800085>(x, static_cast<float>(erfc_of<quick>(x)));
}
TANDEM_FUNCTION constexpr double erf(double x) {
  return abs(x) < 0x1p-1000 ? fma(x, 0x1.06eba8214db69p-3, x) : erf_of<fused>(x);
}
TANDEM_FUNCTION constexpr double erfc(double x) {
  if (!(x > 26.0)) return erfc_of<fused>(x);
  const double a = held(x, 26.0, 28.0);
  const double square = a * a;
  const double value = 2.0 * scaled_normal_tail(a * 0x1.6a09e667f3bcdp+0) * 0x1p100;
  const double power = exp(-square);
  return a == 28.0 ? 0.0 : (value * (power - power * fma(a, a, -square))) * 0x1p-100;
}

}  // namespace detail::math

/// Error function. double: below 4 ulp.
template <detail::real T>
TANDEM_FUNCTION constexpr T erf(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::erf(static_cast<float>(x)));
  } else {
    return detail::math::erf(x);
  }
}

/// 1 - erf(x), without the cancellation that the difference has. double: below 8 ulp.
template <detail::real T>
TANDEM_FUNCTION constexpr T erfc(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::erfc(static_cast<float>(x)));
  } else {
    return detail::math::erfc(x);
  }
}

}  // namespace tandem
