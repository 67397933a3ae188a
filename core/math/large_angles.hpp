// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/reduction.hpp>

#include <type_traits>

// sin, cos and tan of doubles need a different reduction for |x| > 2^20. A branch would keep g++
// from vectorising loops. So code for AVX2 reduces every x as if it were small, and passes the
// value to a function that replaces it if x is large: a `simd` function, which vectorised loops
// call once per vector, as they call libmvec.

namespace tandem {

namespace detail::math {

/// Which function unless_large() computes. Doubles, so that all its arguments have the same width.
struct function_of_angle {
  static constexpr double sin = 0.0;
  static constexpr double cos = 1.0;
  static constexpr double tan = 2.0;
};

}  // namespace detail::math

namespace host {

/// values[i] = function[i] of x[i], for each set bit i of `large`.
void replace_values(double* values, const double* x, const double* function,
                    unsigned large) noexcept;

}  // namespace host

#if defined(__GNUC__) && !defined(__clang__) && defined(__ELF__) && defined(__AVX2__) && \
    defined(__FMA__) && !defined(TANDEM_DEVICE_PASS)

namespace host {

/// Returns `value` for |x| <= 2^20, and the function of x for any other x. large_angles.cpp defines
/// it, and the files next to it define the vector variants, whose names the vector ABI of x86-64
/// prescribes.
[[gnu::const, gnu::simd("notinbranch")]] double unless_large(double value, double x,
                                                             double function) noexcept
    asm("tandem_unless_large");

}  // namespace host

namespace detail::math {

[[gnu::always_inline]] constexpr reduced_angle reduce_first(double x) {
  return std::is_constant_evaluated() ? reduce(x) : reduce_small(x);
}
[[gnu::always_inline]] constexpr double unless_large(double value, double x, double function) {
  return std::is_constant_evaluated() ? value : host::unless_large(value, x, function);
}

}  // namespace detail::math

#else

namespace detail::math {

/// Reduces x to [-pi/4, pi/4]; if unless_large() will correct the result, as if |x| <= 2^20.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr reduced_angle reduce_first(double x) {
  return reduce(x);
}
/// Returns the function of x, given its value for reduce_first(x).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double unless_large(double value, double /*x*/,
                                                                     double /*function*/) {
  return value;
}

}  // namespace detail::math

#endif

}  // namespace tandem
