// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares functions of <tandem/core/math.hpp> with known results and the C library's long double;
// tests/math/exhaustive.cpp compares with MPFR for every float.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <tandem/core/math.hpp>
#include <tandem/core/numbers/half.hpp>

#include "math/hard_cases.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 0x1.921fb54442d18p+1;

float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }

template <std::size_t Count>
void check_hard_cases(const hard_case (&cases)[Count], float (*function)(float)) {
  for (const hard_case& c : cases) CHECK(bits_of(function(float_of(c.input))) == c.result);
}

/// Returns value number i of a sequence over all exponents of doubles or floats.
template <class T>
T any_value(std::uint64_t i) {
  const std::uint64_t bits = mix(i);
  T x;
  if constexpr (sizeof(T) == 4) {
    x = float_of(static_cast<std::uint32_t>(bits));
  } else {
    x = __builtin_bit_cast(double, bits);
  }
  return std::isfinite(x) ? x : T(1);
}

/// Returns the distance in ulp; a NaN is infinitely far away, because maxima would ignore it.
double distance_in_ulp(double value, long double exact) {
  if (std::isnan(value)) return infinity;
  const double near = std::fabs(static_cast<double>(exact));
  if (!(near < std::numeric_limits<double>::max())) return 0;
  const double ulp = std::nextafter(near, infinity) - near;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / ulp);
}

/// Returns the largest error over [low, high], sampling all exponents within.
double largest_error(double (*function)(double), long double (*exact)(long double), double low,
                     double high) {
  double largest = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double unit = static_cast<double>(mix(i) >> 11) * 0x1p-53;
    double x = low + unit * (high - low);
    if (i % 2 != 0) x = any_value<double>(i);
    if (!(x >= low && x <= high)) continue;
    largest = std::fmax(largest, distance_in_ulp(function(x), exact(x)));
  }
  return largest;
}

/// Counts floats, over all exponents, that differ from the rounded long double result.
int wrong_floats(float (*function)(float), long double (*exact)(long double)) {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    float x = any_value<float>(i);
    if (i % 2 != 0) x = static_cast<float>(std::ldexp(x, -std::ilogb(x) + static_cast<int>(i % 9)));
    wrong += !same_bits(function(x), static_cast<float>(exact(x)));
  }
  return wrong;
}

template <class T>
void check_special_values() {
  const T zero = 0;
  const T inf = static_cast<T>(infinity);
  const T nan = static_cast<T>(quiet_nan);
  for (T (*f)(T) :
       {&tandem::expm1<T>, &tandem::log1p<T>, &tandem::sin<T>, &tandem::tan<T>, &tandem::asin<T>,
        &tandem::atan<T>, &tandem::sinh<T>, &tandem::tanh<T>, &tandem::cbrt<T>, &tandem::erf<T>}) {
    CHECK(same_bits(f(zero), zero));
    CHECK(same_bits(f(-zero), -zero));
    CHECK(std::isnan(f(nan)));
  }
  for (T (*f)(T) :
       {&tandem::sin<T>, &tandem::cos<T>, &tandem::tan<T>, &tandem::asin<T>, &tandem::acos<T>}) {
    CHECK(std::isnan(f(inf)));
    CHECK(std::isnan(f(-inf)));
  }
  for (T (*f)(T) : {&tandem::log<T>, &tandem::log2<T>, &tandem::log10<T>, &tandem::log1p<T>,
                    &tandem::rsqrt<T>}) {
    CHECK(std::isnan(f(-inf)));
    CHECK(std::isnan(f(T(-2))));
    CHECK(std::isnan(f(nan)));
  }
  for (T (*f)(T) : {&tandem::log<T>, &tandem::log2<T>, &tandem::log10<T>}) {
    CHECK(f(zero) == -inf);
    CHECK(f(-zero) == -inf);
    CHECK(same_bits(f(T(1)), zero));
    CHECK(f(inf) == inf);
  }
  for (T (*f)(T) : {&tandem::exp<T>, &tandem::exp2<T>}) {
    CHECK(f(inf) == inf);
    CHECK(same_bits(f(-inf), zero));
    CHECK(f(-zero) == T(1));
    CHECK(f(std::numeric_limits<T>::max()) == inf);
    CHECK(std::isnan(f(nan)));
  }
  CHECK(tandem::log1p(T(-1)) == -inf);
  CHECK(tandem::log1p(inf) == inf);
  CHECK(tandem::expm1(-inf) == T(-1));
  CHECK(tandem::expm1(inf) == inf);
  CHECK(tandem::cosh(-inf) == inf);
  CHECK(tandem::sinh(-inf) == -inf);
  CHECK(tandem::tanh(-inf) == T(-1));
  CHECK(tandem::erf(-inf) == T(-1));
  CHECK(tandem::erfc(-inf) == T(2));
  CHECK(same_bits(tandem::erfc(inf), zero));
  CHECK(std::isnan(tandem::erfc(nan)));
  CHECK(tandem::cbrt(-inf) == -inf);
  CHECK(tandem::cbrt(T(-27)) == T(-3));
  CHECK(tandem::rsqrt(-zero) == -inf);
  CHECK(same_bits(tandem::rsqrt(inf), zero));
  CHECK(tandem::atan(inf) == static_cast<T>(pi / 2));
  CHECK(same_bits(tandem::acos(T(1)), zero));
  CHECK(tandem::exp2(T(-10)) == T(0x1p-10));
  CHECK(tandem::log2(T(0x1p-100)) == T(-100));
  CHECK(tandem::log10(T(1000)) == T(3));
  const auto [sine, cosine] = tandem::sincos(T(1e6));
  CHECK(same_bits(sine, tandem::sin(T(1e6))));
  CHECK(same_bits(cosine, tandem::cos(T(1e6))));
}

/// Every pair of values that C's Annex F names; the C library follows it.
template <class T>
void check_special_pairs() {
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           0.5,
                           -0.5,
                           2.0,
                           -2.0,
                           3.0,
                           -3.0,
                           1.5,
                           -1.5,
                           infinity,
                           -infinity,
                           quiet_nan,
                           0x1p24,
                           0x1p24 + 1,
                           1e30,
                           -1e30,
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::max()};
  const auto near = [](T value, long double exact) {
    const T rounded = static_cast<T>(exact);
    return same_bits(value, rounded) || distance_in_ulp(value, exact) < 1;
  };
  for (const double a : values) {
    for (const double b : values) {
      const T x = static_cast<T>(a);
      const T y = static_cast<T>(b);
      CHECK(near(tandem::pow(x, y), std::pow(static_cast<long double>(x), y)));
      CHECK(near(tandem::atan2(x, y), std::atan2(static_cast<long double>(x), y)));
      CHECK(near(tandem::hypot(x, y), std::hypot(static_cast<long double>(x), y)));
      CHECK(same_bits(tandem::fmod(x, y), std::fmod(x, y)));
    }
  }
}

}  // namespace

TEST_CASE("math: floats next to the middle between two results are rounded correctly") {
  check_hard_cases(hard_cases_of_exp, tandem::exp<float>);
  check_hard_cases(hard_cases_of_exp2, tandem::exp2<float>);
  check_hard_cases(hard_cases_of_expm1, tandem::expm1<float>);
  check_hard_cases(hard_cases_of_log, tandem::log<float>);
  check_hard_cases(hard_cases_of_log2, tandem::log2<float>);
  check_hard_cases(hard_cases_of_log10, tandem::log10<float>);
  check_hard_cases(hard_cases_of_log1p, tandem::log1p<float>);
  check_hard_cases(hard_cases_of_sin, tandem::sin<float>);
  check_hard_cases(hard_cases_of_cos, tandem::cos<float>);
  check_hard_cases(hard_cases_of_asin, tandem::asin<float>);
  check_hard_cases(hard_cases_of_acos, tandem::acos<float>);
  check_hard_cases(hard_cases_of_atan, tandem::atan<float>);
  check_hard_cases(hard_cases_of_sinh, tandem::sinh<float>);
  check_hard_cases(hard_cases_of_cosh, tandem::cosh<float>);
  check_hard_cases(hard_cases_of_tan, tandem::tan<float>);
  check_hard_cases(hard_cases_of_tanh, tandem::tanh<float>);
  check_hard_cases(hard_cases_of_cbrt, tandem::cbrt<float>);
  check_hard_cases(hard_cases_of_rsqrt, tandem::rsqrt<float>);
  check_hard_cases(hard_cases_of_erf, tandem::erf<float>);
  check_hard_cases(hard_cases_of_erfc, tandem::erfc<float>);
}

TEST_CASE("math: exp by floats is certain of right results alone, and of most") {
  using tandem::detail::math::exp_by_floats;
  for (const hard_case& c : hard_cases_of_exp) {
    const auto [value, is_certain] = exp_by_floats(float_of(c.input));
    if (is_certain) CHECK(bits_of(value) == c.result);
  }
  int wrong = 0;
  int uncertain = 0;
  constexpr std::uint32_t step = 9973;
  for (std::uint32_t bits = 0; bits < ~0u - step; bits += step) {
    const float x = float_of(bits);
    const auto [value, is_certain] = exp_by_floats(x);
    wrong += is_certain && !same_bits(value, tandem::exp(x));
    uncertain += std::fabs(x) < 87.0f && !is_certain;
  }
  CHECK(wrong == 0);
  CHECK(uncertain < 200);  // of 280,000, most of which are near 0
  CHECK(exp_by_floats(-static_cast<float>(infinity)).is_certain);
  CHECK(!exp_by_floats(static_cast<float>(quiet_nan)).is_certain);
}

TEST_CASE("math: floats of all exponents have the bits of long double, rounded") {
  CHECK(wrong_floats(tandem::exp<float>, std::exp) == 0);
  CHECK(wrong_floats(tandem::exp2<float>, std::exp2) == 0);
  CHECK(wrong_floats(tandem::expm1<float>, std::expm1) == 0);
  CHECK(wrong_floats(tandem::log<float>, std::log) == 0);
  CHECK(wrong_floats(tandem::log2<float>, std::log2) == 0);
  CHECK(wrong_floats(tandem::log10<float>, std::log10) == 0);
  CHECK(wrong_floats(tandem::log1p<float>, std::log1p) == 0);
  CHECK(wrong_floats(tandem::sin<float>, std::sin) == 0);
  CHECK(wrong_floats(tandem::cos<float>, std::cos) == 0);
  CHECK(wrong_floats(tandem::tan<float>, std::tan) == 0);
  CHECK(wrong_floats(tandem::asin<float>, std::asin) == 0);
  CHECK(wrong_floats(tandem::acos<float>, std::acos) == 0);
  CHECK(wrong_floats(tandem::atan<float>, std::atan) == 0);
  CHECK(wrong_floats(tandem::sinh<float>, std::sinh) == 0);
  CHECK(wrong_floats(tandem::cosh<float>, std::cosh) == 0);
  CHECK(wrong_floats(tandem::tanh<float>, std::tanh) == 0);
  CHECK(wrong_floats(tandem::cbrt<float>, std::cbrt) == 0);
  CHECK(wrong_floats(tandem::erf<float>, std::erf) == 0);
  CHECK(wrong_floats(tandem::erfc<float>, std::erfc) == 0);
}

TEST_CASE("math: doubles are below 1 ulp") {
  CHECK(largest_error(tandem::exp<double>, std::exp, -745, 709) < 1);
  CHECK(largest_error(tandem::exp2<double>, std::exp2, -1074, 1023) < 1);
  CHECK(largest_error(tandem::expm1<double>, std::expm1, -40, 709) < 1);
  CHECK(largest_error(tandem::expm1<double>, std::expm1, -1, 1) < 1);
  CHECK(largest_error(tandem::expm1<double>, std::expm1, 0.346, 0.37) < 0.9);
  CHECK(largest_error(tandem::log<double>, std::log, 0.5, 2) < 1);
  CHECK(largest_error(tandem::log<double>, std::log, 5e-324, 1e308) < 1);
  CHECK(largest_error(tandem::log2<double>, std::log2, 0.5, 2) < 1);
  CHECK(largest_error(tandem::log10<double>, std::log10, 0.5, 2) < 1);
  CHECK(largest_error(tandem::log1p<double>, std::log1p, -0.75, 2) < 1);
  CHECK(largest_error(tandem::sin<double>, std::sin, -10, 10) < 1);
  CHECK(largest_error(tandem::sin<double>, std::sin, -1e308, 1e308) < 1);
  CHECK(largest_error(tandem::cos<double>, std::cos, -1e308, 1e308) < 1);
  CHECK(largest_error(tandem::tan<double>, std::tan, -1e308, 1e308) < 1);
  CHECK(largest_error(tandem::asin<double>, std::asin, -1, 1) < 1);
  CHECK(largest_error(tandem::acos<double>, std::acos, -1, 1) < 1);
  CHECK(largest_error(tandem::atan<double>, std::atan, -9, 9) < 1);
  CHECK(largest_error(tandem::sinh<double>, std::sinh, -710, 710) < 1);
  CHECK(largest_error(tandem::sinh<double>, std::sinh, -2, 2) < 1);
  CHECK(largest_error(tandem::cosh<double>, std::cosh, -2, 2) < 1);
  CHECK(largest_error(tandem::tanh<double>, std::tanh, -2, 2) < 1);
  CHECK(largest_error(tandem::cbrt<double>, std::cbrt, -1e308, 1e308) < 1);
  CHECK(tandem::cbrt(0x1p1023) == 0x1p341);
  CHECK(largest_error(tandem::cbrt<double>, std::cbrt, 0x1p1018, 0x1.fffffffffffffp1023) < 1);
  CHECK(largest_error(tandem::erf<double>, std::erf, -6, 6) < 1);
  CHECK(largest_error(tandem::erf<double>, std::erf, 0.4, 2) < 1);
  CHECK(largest_error(tandem::erfc<double>, std::erfc, -6, 27.3) < 1);
  CHECK(largest_error(tandem::erfc<double>, std::erfc, 0.3, 1) < 1);
}

TEST_CASE("math: functions of two floats are rounded correctly, of two doubles below 1 ulp") {
  double error = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const float x = any_value<float>(2 * i);
    const float y = any_value<float>(2 * i + 1);
    const auto wide = static_cast<long double>(x);
    CHECK(same_bits(tandem::atan2(y, x), static_cast<float>(std::atan2(y, wide))));
    CHECK(same_bits(tandem::fmod(x, y), std::fmod(x, y)));
    const float similar = x * random_value<float>(3, i);
    CHECK(same_bits(tandem::hypot(x, similar), static_cast<float>(std::hypot(wide, similar))));
    const float power = random_value<float>(4, i);
    CHECK(same_bits(tandem::pow(std::fabs(x), power),
                    static_cast<float>(std::pow(std::fabs(wide), power))));
    const double a = any_value<double>(2 * i);
    const double b = any_value<double>(2 * i + 1);
    const auto wide_a = static_cast<long double>(a);
    CHECK(same_bits(tandem::fmod(a, b), std::fmod(a, b)));
    const double near = a * random_value<double>(5, i);
    error = std::fmax(error, distance_in_ulp(tandem::atan2(a, near), std::atan2(wide_a, near)));
    error = std::fmax(error, distance_in_ulp(tandem::hypot(a, near), std::hypot(wide_a, near)));
    error = std::fmax(error, distance_in_ulp(tandem::pow(std::fabs(a), double{power}),
                                             std::pow(std::fabs(wide_a), power)));
  }
  CHECK(error < 1);
  CHECK(tandem::pow(3.0f, 10.0f) == 59049.0f);
  CHECK(tandem::pow(4097.0f, 2.0f) == 4097.0f * 4097.0f);  // halfway between two floats
}

TEST_CASE("math: special values are those of C, Annex F") {
  check_special_values<float>();
  check_special_values<double>();
  check_special_pairs<float>();
  check_special_pairs<double>();
}

TEST_CASE("math: functions that round to integers, and signs") {
  for (const double x : {-2.5, -1.5, -0.5, 0.0, -0.0, 0.2, 0.5, 0.49999999999999994, 1.5, 2.5,
                         4503599627370497.5, 1e300, -1e300, infinity, quiet_nan}) {
    CHECK(same_bits(tandem::ceil(x), std::ceil(x)));
    CHECK(same_bits(tandem::trunc(x), std::trunc(x)));
    CHECK(same_bits(tandem::round(x), std::round(x)));
    CHECK(same_bits(tandem::nearbyint(x), std::nearbyint(x)));
    CHECK(same_bits(tandem::copysign(3.0, x), std::copysign(3.0, x)));
  }
}

TEST_CASE("saturate_cast: saturates, NaN is 0") {
  CHECK(tandem::saturate_cast<std::int8_t>(127.9f) == 127);
  CHECK(tandem::saturate_cast<std::int8_t>(-1e9f) == -128);
  CHECK(tandem::saturate_cast<std::uint8_t>(-3.0) == 0);
  CHECK(tandem::saturate_cast<std::uint8_t>(256.0) == 255);
  CHECK(tandem::saturate_cast<std::int64_t>(0x1p63) == INT64_MAX);
  CHECK(tandem::saturate_cast<std::int64_t>(-infinity) == INT64_MIN);
  CHECK(tandem::saturate_cast<std::uint64_t>(0x1p64f) == UINT64_MAX);
  CHECK(tandem::saturate_cast<std::uint64_t>(0x1p63f) == std::uint64_t{1} << 63);
  CHECK(tandem::saturate_cast<int>(quiet_nan) == 0);
  CHECK(tandem::saturate_cast<int>(tandem::half(-2.75f)) == -2);
}

TEST_CASE("math: half and bf16 are functions of float, rounded again") {
  const tandem::half x(0.3f);
  CHECK(tandem::exp(x).bits() == tandem::half(tandem::exp(float(x))).bits());
  const tandem::bf16 y(7.5f);
  CHECK(tandem::pow(y, y).bits() == tandem::bf16(tandem::pow(float(y), float(y))).bits());
}
