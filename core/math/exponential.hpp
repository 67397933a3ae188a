// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>
#include <tandem/core/math/polynomials.hpp>

#include <type_traits>

namespace tandem {

namespace detail::math {

/// 2^k for k the integer in the lowest bits of `sum` = k + to_integer, -1022 <= k <= 1023.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double power_of_two(double sum) {
  return double_of((bits_of(sum) + 1023) << 52);
}

/// clamp() by a maximum and a minimum, which are single instructions; NaN stays NaN.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T clamped(T x, std::type_identity_t<T> low,
                                                           std::type_identity_t<T> high) {
  const T above = x < low ? low : x;
  return above > high ? high : above;
}

/// x = k ln 2 + high + low: high + low is the argument of the polynomial.
struct exponent_split {
  double sum;   ///< k + to_integer
  double high;  ///< |high| <= ln(2) / 2, without error
  double low;   ///< the contribution of the second part of ln 2
};

[[gnu::always_inline]] TANDEM_FUNCTION constexpr exponent_split split_exponent(double x) {
  const double sum = fma(x, log2_e, to_integer);
  const double k = sum - to_integer;
  return {sum, fma(k, -ln2_high, x), k * -ln2_low};
}

/// exp(x) - 1 over 2^k of split_exponent(x): exp(high + low) - 1.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp_fraction(const exponent_split& split) {
  const double r = split.high + split.low;
  const double lost = (split.high - r) + split.low;
  return r + fma(r * r, exp_tail<fused>(r), lost);
}

/// x - k ln 2 for the integer k in the lowest bits of `sum`, accurate enough for functions of
/// float.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double without_exponent(double x, double sum) {
  const double k = sum - to_integer;
  return A::multiply_add(k, -ln2_low, A::multiply_add(k, -ln2_high, x));
}

/// exp(x) for |x| <= 700, accurate enough for functions of float.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp_in_range(double x) {
  const double sum = A::multiply_add(x, log2_e, to_integer);
  const double r = without_exponent<A>(x, sum);
  return double_of(bits_of(A::multiply_add(r, exp_quotient<A>(r), 1.0)) + (bits_of(sum) << 52));
}

/// exp(x) - 1 for |x| <= 700, accurate enough for functions of float. 2^k - 1 is exact if the
/// result depends on its last bit.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double expm1_in_range(double x) {
  const double sum = A::multiply_add(x, log2_e, to_integer);
  const double r = without_exponent<A>(x, sum);
  const double scale = power_of_two(sum);
  return A::multiply_add(scale, r * exp_quotient<A>(r), scale - 1.0);
}

/// exp(t) - 1 for |t| <= ln(2) / 2, to some bits more than a double has.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two expm1_near_zero(sum_of_two t) {
  const sum_of_two square = product(t, t);
  const double cube = t.high * square.high;
  const sum_of_two lesser =
      sum({0.5 * square.high, 0.5 * square.low}, {cube * exp_tail_from_r3<fused>(t.high), 0.0});
  return sum(t, lesser);
}

/// exp(t) for |t| <= ln(2) / 2, to some bits more than a double has.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two exp_in_two(sum_of_two t) {
  return sum({1.0, 0.0}, expm1_near_zero(t));
}

/// exp(x) - 1 for |x| <= 700, to some bits more than a double has.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two expm1_in_two(double x) {
  const exponent_split split = split_exponent(x);
  const double scale = power_of_two(split.sum);
  const auto [high, low] = expm1_near_zero(exact_sum(split.high, split.low));
  return sum(exact_sum(scale, -1.0), {scale * high, scale * low});
}

/// 2^x for |x| <= 1000.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp2_in_range(double x) {
  const double sum = x + to_integer;
  const double r = x - (sum - to_integer);
  return double_of(bits_of(A::multiply_add(r, exp2_tail<A>(r), 1.0)) + (bits_of(sum) << 52));
}

/// value 2^k for 0.5 < |value| < 2 and k in the lowest bits of `sum`, |k| <= 1100; a subnormal
/// result is rounded once more.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double scaled(double value, double sum) {
  const auto k = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_of(sum)));
  const std::int32_t half = k / 2;
  return value * double_of(static_cast<std::uint64_t>(half + 1023) << 52) *
         double_of(static_cast<std::uint64_t>(k - half + 1023) << 52);
}

/// A float in two parts.
struct float_pair {
  float high;
  float low;
};

/// c + r * x, with c larger than the product, to about 2^-45 of the sum.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float_pair multiply_add(float_pair r, float_pair x,
                                                                         float_pair c) {
  const float product = r.high * x.high;
  const float rest = fma(r.high, x.high, -product) + fma(r.high, x.low, r.low * x.high);
  const float sum = c.high + product;
  return {sum, (c.high - sum) + product + (rest + c.low)};
}

/// exp(x), and whether it is certainly the nearest float.
struct exp_result {
  float value;
  bool is_certain;
};

/// Uses operations on floats only, for devices on which doubles take 64 times as long: to 2^-34 in
/// two parts, which decide all but one result in some hundreds. Results other than normal numbers
/// and 0 count as undecided.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr exp_result exp_by_floats(float x) {
  constexpr float integer = 0x1.8p23f;  // as to_integer
  const float sum = fma(clamped(x, -104.0, 89.0), 0x1.715476p+0f, integer);
  const float k = sum - integer;
  const float_pair r = {fma(k, -0x1.62e43p-1f, x), k * 0x1.05c610p-29f};
  const float nearby = r.high + r.low;
  const float tail = polynomial(nearby, 1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040,
                                1.0f / 40320, 1.0f / 362880);
  const float_pair third = multiply_add(r, {tail, 0.0f}, {0x1.555556p-3f, -0x1.555556p-28f});
  const float_pair second = multiply_add(r, third, {0.5f, 0.0f});
  const float_pair first = multiply_add(r, second, {1.0f, 0.0f});
  const auto [high, low] = multiply_add(r, first, {1.0f, 0.0f});
  constexpr float error = 0x1p-34f;
  const float value = high + (low - error);
  const bool is_normal = x > -87.0f && x < 88.5f;
  const bool is_zero = x < -104.0f;
  return {is_zero ? 0.0f : float_of(bits_of(value) + (bits_of(sum) << 23)),
          is_zero || (is_normal && value == high + (low + error))};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float exp(float x) {
  if constexpr (target::doubles_are_slow) {
    const exp_result result = exp_by_floats(x);
    if (result.is_certain) return result.value;
  }
  return static_cast<float>(exp_in_range<quick>(static_cast<double>(clamped(x, -160.0, 160.0))));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp(double x) {
  const exponent_split split = split_exponent(clamped(x, -760.0, 720.0));
  return scaled(1.0 + exp_fraction(split), split.sum);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float exp2(float x) {
  const float value =
      static_cast<float>(exp2_in_range<quick>(static_cast<double>(clamped(x, -200.0, 200.0))));
  return corrected<0x3b429d373f804385, 0xbcf3a9373f7ac6b1>(x, value);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp2(double x) {
  const double y = clamped(x, -1090.0, 1040.0);
  const double sum = y + to_integer;
  const double r = y - (sum - to_integer);
  return scaled(fma(r, exp2_tail<fused>(r), 1.0), sum);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float expm1(float x) {
  const double y = static_cast<double>(x);
  const double value = expm1_in_range<quick>(clamped(y, -160.0, 160.0));
  return x == 0.0f ? x : static_cast<float>(value);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double expm1(double x) {
  const double value = x > 690.0 ? exp(x) : expm1_in_two(clamped(x, -60.0, 690.0)).high;
  return abs(x) < 0x1p-54 ? x : value;
}

}  // namespace detail::math

/// e^x. exp(-inf) = 0, exp(inf) = inf.
///
/// @param x   float, double, half or bf16
/// Accuracy   float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
/// Agreement  the same bits on every backend, as for all functions of <tandem/core/math.hpp>;
///            docs/numerics.md says how it is checked
/// Source: special values are those of C, Annex F.
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T exp(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::exp(static_cast<float>(x)));
  } else {
    return detail::math::exp(x);
  }
}

/// 2^x, exact for integers.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T exp2(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::exp2(static_cast<float>(x)));
  } else {
    return detail::math::exp2(x);
  }
}

/// e^x - 1, without the cancellation of the difference near 0.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T expm1(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::expm1(static_cast<float>(x)));
  } else {
    return detail::math::expm1(x);
  }
}

}  // namespace tandem
