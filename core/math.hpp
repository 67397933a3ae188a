// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tandem {

/// a * b + c, rounded once. The only way in which tandem fuses a product into a sum: the same bits
/// on every backend.
///
/// These are templates so that a program that says `using namespace tandem` does not make the C
/// library's ambiguous.
template <std::floating_point T>
TANDEM_FUNCTION constexpr T fma(T a, T b, T c) {
#if TANDEM_DEVICE_PASS
  return device::fma(a, b, c);
#else
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
#endif
}

/// Square root, correctly rounded; NaN for negative x.
template <std::floating_point T>
TANDEM_FUNCTION constexpr T sqrt(T x) {
#if TANDEM_DEVICE_PASS
  return device::sqrt(x);
#else
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_sqrtf(x);
  } else {
    return __builtin_sqrt(x);
  }
#endif
}

/// Nearest integral value, ties to even.
template <std::floating_point T>
TANDEM_FUNCTION constexpr T rint(T x) {
#if TANDEM_DEVICE_PASS
  return device::rint(x);
#else
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_rintf(x);
  } else {
    return __builtin_rint(x);
  }
#endif
}

/// Largest integral value not above x.
template <std::floating_point T>
TANDEM_FUNCTION constexpr T floor(T x) {
#if TANDEM_DEVICE_PASS
  return device::floor(x);
#else
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_floorf(x);
  } else {
    return __builtin_floor(x);
  }
#endif
}

/// Whether x is not a number; false for every integer.
template <class T>
TANDEM_FUNCTION constexpr bool is_nan(T x) {
  return x != x;
}

/// |x|. Clears the sign of a zero and of a NaN. The lowest signed integer stays what it is.
template <class T>
  requires std::is_arithmetic_v<T>
TANDEM_FUNCTION constexpr T abs(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_fabsf(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_fabs(x);
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return x < 0 ? static_cast<T>(Bits{0} - static_cast<Bits>(x)) : x;
  } else {
    return x;
  }
}

/// The smaller of a and b; NaN if either is NaN; a if they compare equal. By compare and select, so
/// that -0 and +0 and NaN are treated alike on every backend (fmin and the instructions of CPUs and
/// GPUs differ there).
template <class T>
TANDEM_FUNCTION constexpr T min(T a, T b) {
#if TANDEM_DEVICE_PASS
  return bool(int(b < a) | int(is_nan(b))) ? b : a;  // one predicate and one select
#else
  const T smaller =
      b < a ? b : a;  // a vector minimum and a blend: one step shorter than one condition for both
  return is_nan(b) ? b : smaller;
#endif
}

/// The larger of a and b; NaN if either is NaN; a if they compare equal.
template <class T>
TANDEM_FUNCTION constexpr T max(T a, T b) {
#if TANDEM_DEVICE_PASS
  return bool(int(a < b) | int(is_nan(b))) ? b : a;
#else
  const T larger = a < b ? b : a;
  return is_nan(b) ? b : larger;
#endif
}

/// x held within [low, high]; NaN stays NaN.
template <class T>
TANDEM_FUNCTION constexpr T clamp(T x, T low, T high) {
  return x < low ? low : high < x ? high : x;
}

/// a / b rounded up, for a >= 0 and b > 0.
template <std::integral T>
TANDEM_FUNCTION constexpr T ceil_div(T a, T b) {
  return static_cast<T>(a / b + (a % b != 0));
}

/// a rounded up to a multiple of b, for a >= 0 and b > 0.
template <std::integral T>
TANDEM_FUNCTION constexpr T round_up(T a, T b) {
  return static_cast<T>(ceil_div(a, b) * b);
}

/// x as a 32-bit integer, rounded toward zero: values out of range saturate, NaN becomes 0 (C++
/// leaves both undefined).
template <std::floating_point T>
TANDEM_FUNCTION constexpr std::int32_t to_int32(T x) {
  if (is_nan(x)) return 0;
  if (x >= T(2147483648.0)) return INT32_MAX;
  if (x <= T(-2147483648.0)) return INT32_MIN;
  return static_cast<std::int32_t>(x);
}

}  // namespace tandem
