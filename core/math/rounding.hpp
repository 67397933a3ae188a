// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

// Functions without rounding errors.

namespace tandem {

/// |magnitude| with the sign of `sign`; also for zeros and NaN.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T copysign(T magnitude, T sign) {
  return detail::math::with_sign_of(magnitude, sign);
}

/// Smallest integral value not below x.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T ceil(T x) {
  return -floor(-x);
}

/// x without its fractional part.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T trunc(T x) {
  return copysign(floor(abs(x)), x);
}

/// The integral value nearest to x, ties away from zero.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T round(T x) {
  const T below = floor(abs(x));
  return copysign(abs(x) - below >= T{0.5} ? below + T{1} : below, x);
}

/// The integral value nearest to x, ties to even: equal to rint, because there is one rounding mode
/// and no flags.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T nearbyint(T x) {
  return rint(x);
}

namespace detail::math {

/// A positive number as an integer times 2^(exponent - bias - fraction bits).
struct integer_split {
  std::uint64_t integer;
  int exponent;
};
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr integer_split split_integer(T x) {
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  const std::uint64_t bits = bits_of(x);
  const int exponent = static_cast<int>(bits >> fraction);
  const std::uint64_t low = bits & ((std::uint64_t{1} << fraction) - 1);
  return exponent == 0 ? integer_split{low, 1}
                       : integer_split{low | std::uint64_t{1} << fraction, exponent};
}

/// x mod y for 0 < y <= x < infinity: long division, with as many bits per step as 64 bits allow.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T remainder_of(T x, T y) {
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  const integer_split over = split_integer(x);
  const integer_split under = split_integer(y);
  std::uint64_t rest = over.integer % under.integer;
  for (int left = over.exponent - under.exponent; left > 0 && rest != 0;) {
    const int step = left < 63 - fraction ? left : 63 - fraction;
    rest = (rest << step) % under.integer;
    left -= step;
  }
  // rest 2^(exponent of y): both factors, and the product, are exact.
  T value = static_cast<T>(rest);
  for (int left = under.exponent - (1 - std::numeric_limits<T>::min_exponent) - 1 - fraction;
       left != 0;) {
    constexpr int most = std::numeric_limits<T>::max_exponent / 2;
    const int step = left > most ? most : (left < -most ? -most : left);
    const auto power = static_cast<std::uint64_t>(step + std::numeric_limits<T>::max_exponent - 1);
    if constexpr (std::same_as<T, float>) {
      value *= float_of(static_cast<std::uint32_t>(power << fraction));
    } else {
      value *= double_of(power << fraction);
    }
    left -= step;
  }
  return value;
}

}  // namespace detail::math

/// x - n y for the integer n whose remainder has the sign of x and is smaller than |y|; exact. NaN
/// if x is infinite or y is 0.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T fmod(T x, T y) {
  const T a = abs(x);
  const T b = abs(y);
  if (is_nan(x) || is_nan(y)) return x + y;
  if (a == static_cast<T>(detail::math::infinity) || b == T{0}) {
    return static_cast<T>(detail::math::quiet_nan);
  }
  if (a < b) return x;
  return copysign(detail::math::remainder_of(a, b), x);
}

/// Converts x to an integer, rounded toward zero: values out of range saturate, NaN becomes 0.
template <std::integral Integer, detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr Integer saturate_cast(T x) {
  if constexpr (detail::real16<T>) {
    return saturate_cast<Integer>(static_cast<float>(x));
  } else {
    constexpr Integer most = detail::largest_of<Integer>;
    constexpr Integer least = detail::lowest_of<Integer>;
    constexpr T above = static_cast<T>(most / 2 + 1) * T{2};
    if (is_nan(x)) return 0;
    if (x >= above) return most;
    if (x <= static_cast<T>(least)) return least;
    return static_cast<Integer>(x);
  }
}

}  // namespace tandem
