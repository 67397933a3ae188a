// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/elementary.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

// Expressions that fuse products into sums in a stated order. Compilers contract a * b + c as they
// like, and therefore tandem's flags forbid it; these functions have the speed of contracted code,
// and the same bits on every backend. Loops with them are vectorised on x86 if -mfma or -march
// enables the instruction; other code tests for it at run time.

namespace tandem {

namespace detail {

// Folds rather than recursion, which compilers stop inlining at some length.

/// Horner's rule over the coefficients, the constant one first.
template <class T, std::size_t Count, std::size_t... Position>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T horner([[maybe_unused]] T x,
                                                          const T (&coefficients)[Count],
                                                          std::index_sequence<Position...>) {
  T value = coefficients[Count - 1];
  ((value = fma(value, x, coefficients[Count - 2 - Position])), ...);
  return value;
}

/// sum + f0 f1 + f2 f3 + ..
template <class T, std::size_t Count, std::size_t... Position>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T add_products(T sum, const T (&factors)[Count],
                                                                std::index_sequence<Position...>) {
  ((sum = fma(factors[2 * Position], factors[2 * Position + 1], sum)), ...);
  return sum;
}

}  // namespace detail

/// c0 + c1 x + c2 x^2 + .. by Horner's rule: fma(fma(c2, x, c1), x, c0), one rounding per degree.
/// Coefficients are first converted to the type of x, so 0.5 can be used with floats too.
///
/// polynomial(x, 1, 1, 0.5, 1.0 / 6) is the Taylor polynomial of e^x of degree 3.
///
/// @param x             float or double
/// @param coefficients  the constant one first
template <std::floating_point T, std::convertible_to<T>... Coefficients>
  requires(sizeof...(Coefficients) > 0)
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T polynomial(T x, Coefficients... coefficients) {
  const T values[] = {static_cast<T>(coefficients)...};
  return detail::horner(x, values, std::make_index_sequence<sizeof...(Coefficients) - 1>());
}

/// a0 b0 + a1 b1 + .., the dot product of short vectors whose components are given in pairs. The
/// first product is rounded, and each further product is fused into the sum so far: fma(a2, b2,
/// fma(a1, b1, a0 * b0)).
///
/// sqrt(fused_dot(dx, dx, dy, dy, dz, dz)) is a distance in three dimensions.
///
/// @param a0, b0  the first pair, float or double
/// @param others  further pairs of that type, a1, b1, a2, b2, ..
template <std::floating_point T, std::same_as<T>... Factors>
  requires(sizeof...(Factors) % 2 == 0)
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T fused_dot(T a0, T b0, Factors... others) {
  if constexpr (sizeof...(Factors) == 0) {
    return a0 * b0;
  } else {
    const T factors[] = {others...};
    return detail::add_products(a0 * b0, factors,
                                std::make_index_sequence<sizeof...(Factors) / 2>());
  }
}

}  // namespace tandem
