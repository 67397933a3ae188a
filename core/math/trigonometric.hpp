// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>
#include <tandem/core/math/large_angles.hpp>
#include <tandem/core/math/polynomials.hpp>
#include <tandem/core/math/reduction.hpp>

namespace tandem {

/// The sine and the cosine of one argument, as sincos() returns them.
template <class T>
struct sine_and_cosine {
  T sin;
  T cos;
};

namespace detail::math {

/// x / pi modulo 2: the sum of three numbers, the first two exact.
struct half_turns {
  double first;
  double second;
  double third;
};

/// For any finite x, which is an integer of 24 bits times 2^(e - 150) with its biased exponent e:
/// the integer times 2^(e - 150) / pi modulo 2. NaN otherwise.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr half_turns half_turns_of(float x) {
  const std::uint32_t biased = bits_of(x) >> 23 & 0xff;
  const double integer =
      static_cast<double>(x) * double_of(std::uint64_t{1023 + 150 - biased} << 52);
  const std::size_t row = biased;  // 64 bits wide, which g++ can gather with
  return {integer * multiple_of_inverse_pi(row), integer * multiple_of_inverse_pi(row + 256),
          integer * multiple_of_inverse_pi(row + 512)};
}

/// sin(pi (m + f)) for the integer m in the lowest bits of `sum`.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_of_half_turns(double f, double sum) {
  const double value = f * sin_pi<quick>(f * f);
  return double_of(bits_of(value) ^ (bits_of(sum) << 63));
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_of(const half_turns& turns) {
  const double sum = turns.first + to_integer;
  const double f = ((turns.first - (sum - to_integer)) + turns.second) + turns.third;
  return sin_of_half_turns(f, sum);
}

/// cos(pi y) = sin(pi (1/2 - y)).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cos_of(const half_turns& turns) {
  const double sum = (0.5 - turns.first) + to_integer;
  const double nearby = 0.5 - (sum - to_integer);
  return sin_of_half_turns(((nearby - turns.first) - turns.second) - turns.third, sum);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float rounded_sin(float x,
                                                                   const half_turns& turns) {
  const float value =
      corrected<0x46199998beb1fa5d, 0x55cafb2abf7e7a17, 0x67a9242bbf7fab81, 0xc61999983eb1fa5d,
                0xd5cafb2a3f7e7a17, 0xe7a9242b3f7fab81>(x, static_cast<float>(sin_of(turns)));
  return x == 0.0f ? x : value;
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float rounded_cos(float x,
                                                                   const half_turns& turns) {
  return corrected<0x6115cb113f78142f, 0xe115cb113f78142f>(x, static_cast<float>(cos_of(turns)));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float sin(float x) {
  return rounded_sin(x, half_turns_of(x));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float cos(float x) {
  return rounded_cos(x, half_turns_of(x));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sine_and_cosine<float> sincos(float x) {
  const half_turns turns = half_turns_of(x);
  return {rounded_sin(x, turns), rounded_cos(x, turns)};
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float tan(float x) {
  const half_turns turns = half_turns_of(x);
  const float value = static_cast<float>(sin_of(turns) / cos_of(turns));
  return x == 0.0f ? x : value;
}
/// sin(high + low).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_near_zero(double high, double low) {
  const double square = high * high;
  return high + fma(high * square, sin_tail<fused>(square), fma(-0.5 * square, low, low));
}

/// cos(high + low). Adds back the rounding error of 1 - high^2 / 2.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cos_near_zero(double high, double low) {
  const double square = high * high;
  const double lost_square = fma(high, high, -square);
  const double nearby = 1.0 - 0.5 * square;
  const double lost = (1.0 - nearby) - 0.5 * square;
  const double lesser = fma(-high, low, fma(-0.5, lost_square, lost));
  return nearby + fma(square * square, cos_tail<fused>(square), lesser);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_of(const reduced_angle& angle) {
  const double value = (angle.quarters & 1) != 0 ? cos_near_zero(angle.high, angle.low)
                                                 : sin_near_zero(angle.high, angle.low);
  return negated_if_odd(angle.quarters >> 1, value);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cos_of(const reduced_angle& angle) {
  return sin_of(reduced_angle{angle.quarters + 1, angle.high, angle.low});
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double tan_of(const reduced_angle& angle) {
  const auto [quarters, high, low] = angle;
  const double square = high * high;
  const double tail = fma(high * square, sin_tail<fused>(square), fma(-0.5 * square, low, low));
  const double lost = fma(-0.5, fma(high, high, -square), -high * low);
  const auto nearby = ordered_sum(1.0, -0.5 * square);
  const sum_of_two sine = ordered_sum(high, tail);
  const sum_of_two cosine =
      ordered_sum(nearby.high, fma(square * square, cos_tail<fused>(square), nearby.low + lost));
  const bool odd = (quarters & 1) != 0;
  const sum_of_two ratio = on_device ? (odd ? quotient(cosine, sine) : quotient(sine, cosine))
                                     : quotient(odd ? cosine : sine, odd ? sine : cosine);
  return negated_if_odd(odd, ratio.high + ratio.low);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin(double x) {
  return unless_large(abs(x) < 0x1p-30 ? x : sin_of(reduce_first(x)), x, function_of_angle::sin);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double tan(double x) {
  const double value = tan_of(reduce_first(x));
  return unless_large(abs(x) < 0x1p-30 ? x : value, x, function_of_angle::tan);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cos(double x) {
  return unless_large(cos_of(reduce_first(x)), x, function_of_angle::cos);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sine_and_cosine<double> sincos(double x) {
  const reduced_angle angle = reduce_first(x);
  return {unless_large(abs(x) < 0x1p-30 ? x : sin_of(angle), x, function_of_angle::sin),
          unless_large(cos_of(angle), x, function_of_angle::cos)};
}

}  // namespace detail::math

/// Sine of x radians, of any magnitude. NaN for infinities.
///
/// @param x  float, double, half or bf16: radians
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T sin(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::sin(static_cast<float>(x)));
  } else {
    return detail::math::sin(x);
  }
}

/// Cosine of x radians, of any magnitude. NaN for infinities.
///
/// @param x  float, double, half or bf16: radians
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T cos(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::cos(static_cast<float>(x)));
  } else {
    return detail::math::cos(x);
  }
}

/// Tangent of x radians, of any magnitude. NaN for infinities.
///
/// @param x  float, double, half or bf16: radians
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T tan(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::tan(static_cast<float>(x)));
  } else {
    return detail::math::tan(x);
  }
}

/// sin(x) and cos(x), bit for bit, at little more than the cost of one: `const auto [sine,
/// cosine] = tandem::sincos(x);`
///
/// @param x  float, double, half or bf16: radians
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sine_and_cosine<T> sincos(T x) {
  if constexpr (detail::real16<T>) {
    const sine_and_cosine<float> both = detail::math::sincos(static_cast<float>(x));
    return {T(both.sin), T(both.cos)};
  } else {
    return detail::math::sincos(x);
  }
}

}  // namespace tandem
