// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// The functions of docs/numerics.md in the C library's long double, whose results are assumed to
/// be within 2^-59, and the consequences for floats and doubles.
namespace tandem::fuzz::oracle {

/// Names in the order of the numbers that exact() takes.
inline constexpr const char* function_names[] = {
    "exp", "exp2", "expm1", "log",   "log2",  "log10",       "log1p",        "sin",  "cos",
    "tan", "asin", "acos",  "atan",  "sinh",  "cosh",        "tanh",         "cbrt", "rsqrt",
    "erf", "erfc", "pow",   "atan2", "hypot", "sincos.sine", "sincos.cosine"};

inline long double exact(int function, long double x, long double y) {
  switch (function) {
    case 0:
      return std::exp(x);
    case 1:
      return std::exp2(x);
    case 2:
      return std::expm1(x);
    case 3:
      return std::log(x);
    case 4:
      return std::log2(x);
    case 5:
      return std::log10(x);
    case 6:
      return std::log1p(x);
    case 7:
      return std::sin(x);
    case 8:
      return std::cos(x);
    case 9:
      return std::tan(x);
    case 10:
      return std::asin(x);
    case 11:
      return std::acos(x);
    case 12:
      return std::atan(x);
    case 13:
      return std::sinh(x);
    case 14:
      return std::cosh(x);
    case 15:
      return std::tanh(x);
    case 16:
      return std::cbrt(x);
    case 17:
      return 1 / std::sqrt(x);
    case 18:
      return std::erf(x);
    case 19:
      return std::erfc(x);
    case 20:
      return std::pow(x, y);
    case 21:
      return std::atan2(x, y);
    case 22:
      return std::hypot(x, y);
    case 23:
      return std::sin(x);
    default:
      return std::cos(x);
  }
}

inline bool takes_two(int function) { return function >= 20 && function <= 22; }

/// The error in ulp that the page states for double.
inline long double bound_in_ulp(int function) {
  return function == 18 ? 4 : function == 19 ? 8 : 1;
}

/// The floats that a correctly rounded result may be, if the exact one is within `margin` of a long
/// double: a single one except near the midpoint of two.
struct candidates {
  float low;
  float high;
};
inline candidates rounded(int function, long double value) {
  const long double margin = function == 20 || function == 21 ? 0x1p-54L : 0x1p-59L;
  const long double slack = std::fabs(value) * margin;
  return {static_cast<float>(value - slack), static_cast<float>(value + slack)};
}

/// Distance of a double from the exact value in units in the last place; an infinity counts as
/// 2^1024.
inline long double distance_in_ulp(double found, long double value) {
  constexpr double greatest = std::numeric_limits<double>::max();
  const auto finite = [](long double x) { return std::isinf(x) ? std::copysign(0x1p1024L, x) : x; };
  const double near = std::fmin(std::fabs(static_cast<double>(value)), greatest);
  const double below = std::nextafter(near, 0.0);
  const double ulp = near == greatest || near == 0
                         ? (near == 0 ? std::numeric_limits<double>::denorm_min() : near - below)
                         : std::nextafter(near, greatest) - near;
  const long double at = std::fabs(value) > 0x1p1024L ? std::copysign(0x1p1024L, value) : value;
  return std::fabs(finite(static_cast<long double>(found)) - at) / ulp;
}

}  // namespace tandem::fuzz::oracle
