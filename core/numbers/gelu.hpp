// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/elementary.hpp>
#include <tandem/core/numbers/fused.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tandem {

namespace detail {

/// Constants of gelu() for a type. `ln2_high` is ln 2 rounded to T: its products with the exponents
/// that occur are subtracted exactly.
template <class T>
struct normal_tail;

/// Polynomials interpolate at Chebyshev points, in 50 digits: the error of the tail's is at most
/// 2^-29.7, that of the exponential's 2^-29.
template <>
struct normal_tail<float> {
  using bits = std::uint32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
  /// From here on, t * Phi(-t) is below half the smallest float.
  static constexpr float end = 14.5f;
  static constexpr float centre = 3.0f;
  static constexpr float log2_e = 0x1.715476p+0f;
  static constexpr float ln2_high = 0x1.62e430p-1f;
  static constexpr float ln2_low = -0x1.05c610p-29f;

  /// (t + centre) * exp(t * t / 2) * Phi(-t) for 0 <= t <= end and u = (t - centre) / (t + centre).
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr float scaled(float u) {
    return polynomial(u, 0x1.754a76p-1f, -0x1.04c72ap-1f, 0x1.d71382p-3f, -0x1.832d2ap-5f,
                      -0x1.56d414p-7f, 0x1.c8c610p-8f, 0x1.0c7896p-10f, -0x1.0f1d78p-10f,
                      -0x1.0076a8p-12f, 0x1.172f6ep-13f, 0x1.d05c08p-15f);
  }

  /// (exp(r) - 1 - r) / (r * r) for |r| <= ln(2) / 2.
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr float exponential(float r) {
    return polynomial(r, 0.5f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120be2p-7f, 0x1.6d117cp-10f);
  }
};

/// The errors of the polynomials of double are at most 2^-60.8 (tail) and 2^-58 (exponential).
template <>
struct normal_tail<double> {
  using bits = std::uint64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
  static constexpr double end = 39.0;
  static constexpr double centre = 5.0;
  static constexpr double log2_e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42fefa39efp-1;
  static constexpr double ln2_low = 0x1.abc9e3b39803fp-56;

  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double scaled(double u) {
    return polynomial(u, 0x1.89d3abe1f95aep-1, -0x1.54ad03f27ca18p-1, 0x1.fb31653876f89p-2,
                      -0x1.410ed5f875946p-2, 0x1.51f6329f01ba3p-3, -0x1.1b1c254ca42c5p-4,
                      0x1.54b4d4f48a95dp-6, -0x1.88590e97fa725p-9, -0x1.a2503777d193ep-11,
                      0x1.1daf1ad402a68p-11, -0x1.f214934cc2997p-15, -0x1.a1700f97933d8p-15,
                      0x1.17df18b48c12bp-16, 0x1.0b14870d680c8p-18, -0x1.73e13a7eebb7bp-19,
                      -0x1.673ef5ca91651p-22, 0x1.d4772f5151200p-22, 0x1.592046569c07ep-25,
                      -0x1.2d422be3e72a3p-24, -0x1.25f8b412cdb42p-27, 0x1.72fe74371fc82p-27,
                      0x1.313b2a0d09987p-29, -0x1.3f1a1f1afa304p-30, -0x1.a397ed7719499p-32);
  }

  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double exponential(double r) {
    return polynomial(r, 0.5, 0x1.5555555555556p-3, 0x1.5555555553d37p-5, 0x1.11111111109a6p-7,
                      0x1.6c16c1789d1d7p-10, 0x1.a01a01a7cebcdp-13, 0x1.a019b8ca26fcfp-16,
                      0x1.71de0d85293b8p-19, 0x1.2891d4ffbb0f9p-22, 0x1.af390ba7e6f47p-26);
  }
};

/// 2^e for exponents e of normal numbers.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T power_of_two(int e) {
  using Tail = normal_tail<T>;
  using Bits = typename Tail::bits;
  return __builtin_bit_cast(T, static_cast<Bits>(e + Tail::bias) << Tail::fraction_bits);
}

/// exp(t * t / 2) * Phi(-t) for 0 <= t <= end. Both quotients are corrected by the remainder of a
/// product with them, which is cheaper than two divisions.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T scaled_normal_tail(T t) {
  using Tail = normal_tail<T>;
  const T sum = t + Tail::centre;
  const T inverse = T{1} / sum;
  T u = (t - Tail::centre) * inverse;
  u = fma(fma(-u, t, fma(-Tail::centre, u + T{1}, t)), inverse, u);
  const T scaled = Tail::scaled(u);
  const T quotient = scaled * inverse;
  return fma(fma(-quotient, sum, scaled), inverse, quotient);
}

/// factor * Phi(-t) for 0 <= t <= end.
///
/// exp(-t * t / 2) multiplies the rounding error of t * t by the exponent, so that error is added
/// back to the exponent. The power of two is applied last, in two halves, so that a tiny result is
/// rounded once.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T times_normal_tail(T factor, T t) {
  using Tail = normal_tail<T>;
  const T square = t * t;
  const T lost = fma(t, t, -square);
  const T half_square = T{-0.5} * square;
  const T whole = rint(half_square * Tail::log2_e);
  T rest = fma(whole, -Tail::ln2_high, half_square);
  rest = fma(T{-0.5}, lost, fma(whole, -Tail::ln2_low, rest));
  const T above_one = fma(rest * rest, Tail::exponential(rest), rest);
  const T value = factor * scaled_normal_tail(t);
  const int exponent = static_cast<int>(whole);
  const int first = exponent / 2;
  return fma(value, above_one, value) * power_of_two<T>(first) * power_of_two<T>(exponent - first);
}

}  // namespace detail

/// x * Phi(x), the Gaussian error linear unit; Phi(x) = (1 + erf(x / sqrt(2))) / 2 is the normal
/// cumulative distribution function.
///
/// Agreement  the same bits on every backend: sums, products, quotients and fused multiply-adds
/// Error      below 5 units in the last place, even for the tiny results of negative x
/// gelu(-0) = -0, gelu(inf) = inf, gelu(-inf) = -0, NaN stays NaN.
/// Source: Hendrycks and Gimpel, "Gaussian error linear units", arXiv:1606.08415.
template <std::floating_point T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T gelu(T x) {
  const bool negative = x <= T{0};  // also zeros of either sign: their product keeps the sign
  const T t = negative ? -x : x;
  if (!(t <= detail::normal_tail<T>::end)) return negative ? -T{0} : x;
  const T tail = detail::times_normal_tail(negative ? x : T{1}, t);
  return negative ? tail : fma(-x, tail, x);
}

}  // namespace tandem
