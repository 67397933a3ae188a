// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>
#include <tandem/core/math/exponential.hpp>
#include <tandem/core/math/polynomials.hpp>

namespace tandem {

namespace detail::math {

/// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2).
struct logarithm_split {
  double k;
  double f;
};

/// Splits positive normal numbers. k is read by adding it to the bits of 2^52: conversions of
/// 64-bit integers are slow, or missing, in vector registers.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr logarithm_split split_logarithm(double x) {
  constexpr std::uint64_t root = 0x3fe6a09e667f3bcd;  // of 1/2
  const std::uint64_t raised = bits_of(x) - root + (std::uint64_t{1023} << 52);
  const std::uint64_t exponent = raised >> 52;
  const double k = double_of(exponent | 0x4330000000000000) - (0x1p52 + 1023);
  return {k, double_of((raised & 0x000fffffffffffff) + root) - 1.0};
}

/// log(1 + f) = f - half_square + correction; the first two parts hold all but some bits.
struct log1p_parts {
  double half_square;
  double correction;
};

template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr log1p_parts parts_of_log1p(double f) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  return {half_square, s * A::multiply_add(z, log_tail<A>(z), half_square)};
}

template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log_of(const logarithm_split& split) {
  const auto [half_square, correction] = parts_of_log1p<A>(split.f);
  const double lesser = A::multiply_add(split.k, ln2_low, correction);
  return A::multiply_add(split.k, ln2_high, split.f - (half_square - lesser));
}

/// The results of log at and below 0, at infinity and at NaN; otherwise `value`.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T log_or_special(T x, T value) {
  const T at_zero = x == T{0} ? -static_cast<T>(infinity) : static_cast<T>(quiet_nan);
  const T above = x < static_cast<T>(infinity) ? value : x;
  return x > T{0} ? above : (is_nan(x) ? x : at_zero);
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr float log(float x) {
  const float value = static_cast<float>(log_of<quick>(split_logarithm(static_cast<double>(x))));
  return log_or_special(x, corrected<0x3c413d3ac08e158f, 0x41178feb400fe5e7, 0x4c5d65a5418f034b,
                                     0x65d890d34254d1f9, 0x6f31a8ec42845a89>(x, value));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float log2(float x) {
  const logarithm_split split = split_logarithm(static_cast<double>(x));
  const double value = quick::multiply_add(log_of<quick>({0.0, split.f}), log2_e, split.k);
  return log_or_special(x, static_cast<float>(value));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float log10(float x) {
  constexpr double log10_e = 0x1.bcb7b1526e50ep-2;
  const double value = log_of<quick>(split_logarithm(static_cast<double>(x))) * log10_e;
  return log_or_special(x, corrected<0x0a4d4ce8c2000527, 0x0efeee7ac1e99d23, 0x2f149212c11de885>(
                               x, static_cast<float>(value)));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float log1p(float x) {
  const double y = static_cast<double>(x);
  logarithm_split split = split_logarithm(1.0 + y);
  split.f = split.k == 0.0 ? y : split.f;  // 1 + y may have been rounded
  const float value =
      corrected<0x35400003353fffff, 0x3710001b370ffff3, 0x3efd81ad3ecdeee1, 0x41078feb400fe5e7,
                0x65d890d34254d1f9, 0x6f31a8ec42845a89, 0xb53ffffdb5400001, 0xb70fffe5b710000d,
                0xbb0ec8c4bb0ef0a5>(x, static_cast<float>(log_of<quick>(split)));
  if constexpr (on_device)
    return x == 0.0f ? x : log_or_special(static_cast<float>(1.0 + y), value);
  return select(x == 0.0f, x, log_or_special(static_cast<float>(1.0 + y), value));
}

/// Splits any double, after scaling subnormal numbers into range.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr logarithm_split split_any(double x) {
  const bool subnormal = x < 0x1p-1022;
  const auto [k, f] = split_logarithm(subnormal ? x * 0x1p54 : x);
  return {subnormal ? k - 54.0 : k, f};
}

/// log(1 + f) times a factor in two parts, the first with at most 32 bits: the first part of f -
/// f^2 / 2 is truncated to 21 bits, so that their product is exact.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two scaled_log1p(double f,
                                                                         double scale_high,
                                                                         double scale_low) {
  const auto [half_square, correction] = parts_of_log1p<fused>(f);
  const double difference = f - half_square;
  const double high = double_of(bits_of(difference) & 0xffffffff00000000);
  const double low = ((f - high) - half_square) + correction;
  return {high * scale_high, fma(low + high, scale_low, low * scale_high)};
}

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log(double x) {
  return log_or_special(x, log_of<fused>(split_any(x)));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log2(double x) {
  const auto [k, f] = split_any(x);
  const auto [high, low] = scaled_log1p(f, 0x1.71547p+0, 0x1.94ae0bf85ddf4p-22);
  const double sum = k + high;
  return log_or_special(x, sum + (((k - sum) + high) + low));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log10(double x) {
  const auto [k, f] = split_any(x);
  const auto [high, low] = scaled_log1p(f, 0x1.bcb7bp-2, 0x1.526e50e32a6abp-26);
  const double whole = k * 0x1.34413509fp-2;  // 37 bits of log10(2)
  const double sum = whole + high;
  const double rest = fma(k, 0x1.e7fbcc47c4acdp-40, low) + ((whole - sum) + high);
  return log_or_special(x, sum + rest);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log1p(double x) {
  const double sum = 1.0 + x;
  const double lost = x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
  auto [k, f] = split_logarithm(sum);
  const bool whole = k == 0.0;
  const auto [half_square, correction] = parts_of_log1p<fused>(whole ? x : f);
  const double relative = whole ? 0.0 : lost / sum;
  const double lesser = fma(k, ln2_low, correction) + relative;
  const double value = fma(k, ln2_high, (whole ? x : f) - (half_square - lesser));
  return abs(x) < 0x1p-54 ? x : log_or_special(sum, value);
}

}  // namespace detail::math

/// Natural logarithm. log(0) = -inf, NaN for negative x.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T log(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::log(static_cast<float>(x)));
  } else {
    return detail::math::log(x);
  }
}

/// Logarithm to base 2, exact for powers of 2.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T log2(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::log2(static_cast<float>(x)));
  } else {
    return detail::math::log2(x);
  }
}

/// Logarithm to base 10.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T log10(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::log10(static_cast<float>(x)));
  } else {
    return detail::math::log10(x);
  }
}

/// log(1 + x), accurate near 0. log1p(-1) = -inf, NaN below.
///
/// @param x  float, double, half or bf16
/// Accuracy  float: correctly rounded; double: below 1 ulp; half and bf16: float's, rounded again
template <detail::real T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T log1p(T x) {
  if constexpr (detail::real16<T>) {
    return T(detail::math::log1p(static_cast<float>(x)));
  } else {
    return detail::math::log1p(x);
  }
}

}  // namespace tandem
