// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/target.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tandem {

namespace host {

#if defined(__x86_64__) && !defined(__FMA__)
/// Whether the processor has an fma() instruction, which code for generic x86-64 may not assume:
/// the C library's function takes ten times as long.
[[gnu::always_inline]] inline bool has_fma() { return __builtin_cpu_supports("fma") != 0; }
#endif

template <std::floating_point T>
[[gnu::always_inline]] constexpr T fma(T a, T b, T c) {
  constexpr bool is_float = std::is_same_v<T, float>;
#if defined(__x86_64__) && !defined(__FMA__)
  if (!std::is_constant_evaluated() && has_fma()) {
    if constexpr (is_float) {
      asm("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
    } else {
      asm("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
    }
    return a;
  }
#endif
  if constexpr (is_float) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
}

// Templates for one type each, because clang refuses a plain constexpr function if it cannot
// evaluate its builtin.
template <std::same_as<float> T>
[[gnu::always_inline]] constexpr T sqrt(T x) {
  return __builtin_sqrtf(x);
}
template <std::same_as<double> T>
[[gnu::always_inline]] constexpr T sqrt(T x) {
  return __builtin_sqrt(x);
}
template <std::same_as<float> T>
[[gnu::always_inline]] constexpr T rint(T x) {
  return __builtin_rintf(x);
}
template <std::same_as<double> T>
[[gnu::always_inline]] constexpr T rint(T x) {
  return __builtin_rint(x);
}
template <std::same_as<float> T>
[[gnu::always_inline]] constexpr T floor(T x) {
  return __builtin_floorf(x);
}
template <std::same_as<double> T>
[[gnu::always_inline]] constexpr T floor(T x) {
  return __builtin_floor(x);
}
/// rint(x) for |x| < 2^63: one instruction on any x86-64, whereas rint is a call.
inline std::int64_t nearest_integer(double x) { return __builtin_llrint(x); }

}  // namespace host

/// a * b + c, rounded once. tandem fuses products into sums only with this function: the same bits
/// on every backend.
///
/// These are templates so that `using namespace tandem` does not make calls of the C library's
/// functions ambiguous.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T fma(T a, T b, T c) {
  return detail::target::fma(a, b, c);
}

/// Square root, correctly rounded; NaN for negative x.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T sqrt(T x) {
  return detail::target::sqrt(x);
}

/// The integral value nearest to x, ties to even.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T rint(T x) {
  return detail::target::rint(x);
}

/// Largest integral value not above x.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T floor(T x) {
  return detail::target::floor(x);
}

/// Whether x is not a number; false for every integer.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr bool is_nan(T x) {
  return x != x;  // NOLINT(misc-redundant-expression): NaN alone differs from itself.
}

/// |x|. Clears the sign of a zero and of a NaN. The lowest signed integer is unchanged.
template <class T>
  requires std::is_arithmetic_v<T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T abs(T x) {
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

/// The smaller of a and b; NaN if either is NaN; a if they compare equal. Uses compare and select,
/// so that -0, +0 and NaN behave the same on every backend (fmin and the instructions of CPUs and
/// GPUs differ).
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T min(T a, T b) {
  if constexpr (detail::on_device) {
    return bool(int(b < a) | int(is_nan(b))) ? b : a;  // one predicate and one select
  } else {
    const T smaller = b < a ? b : a;  // a vector minimum and a blend: shorter than one condition
    return is_nan(b) ? b : smaller;
  }
}

/// The larger of a and b; NaN if either is NaN; a if they compare equal.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T max(T a, T b) {
  if constexpr (detail::on_device) {
    return bool(int(a < b) | int(is_nan(b))) ? b : a;
  } else {
    const T larger = a < b ? b : a;
    return is_nan(b) ? b : larger;
  }
}

/// Clamps x to [low, high]; NaN stays NaN.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T clamp(T x, T low, T high) {
  return x < low ? low : high < x ? high : x;
}

/// a / b rounded up, for a >= 0 and b > 0.
template <std::integral T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T ceil_div(T a, T b) {
  return static_cast<T>(a / b + (a % b != 0));
}

/// a rounded up to a multiple of b, for a >= 0 and b > 0.
template <std::integral T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T round_up(T a, T b) {
  return static_cast<T>(ceil_div(a, b) * b);
}

/// Converts x to a 32-bit integer, rounded toward zero: values out of range saturate, NaN becomes 0
/// (both are undefined in C++).
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr std::int32_t to_int32(T x) {
  if (is_nan(x)) return 0;
  if (x >= T(2147483648.0)) return INT32_MAX;
  if (x <= T(-2147483648.0)) return INT32_MIN;
  return static_cast<std::int32_t>(x);
}

}  // namespace tandem
