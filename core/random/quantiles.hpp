// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/numbers/fused.hpp>
#include <tandem/core/random/normal_cubics.hpp>
#include <tandem/core/random/quantile_coefficients.hpp>

#include <cstdint>

namespace tandem::host {

inline constexpr detail::normal_cubics cubics{};

/// Returns row `i` of the table in normal_cubics.hpp.
[[gnu::always_inline]] constexpr const detail::cubic& normal_cubic(std::uint32_t i) {
  return cubics.rows[i];
}

}  // namespace tandem::host

/// Converts random words to normal and exponential variables: inverse cumulative functions in one
/// fixed sequence of +, *, /, sqrt, fused multiply-adds and table loads, without branches. A word u
/// of b bits represents the probability (u + 1/2) / 2^b, and its complement represents 1 minus
/// that, so both tails keep their relative accuracy.
namespace tandem::detail {

/// Converts a 32-bit word to a number from -2^31 to 2^31 - 1, which every instruction set converts.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T from_signed(std::uint32_t word) {
  return static_cast<T>(static_cast<std::int32_t>(word));
}

/// (high * 2^32 + low + 1/2) / 2^32 for high < 2^31, rounded once.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double between_words(std::uint32_t high,
                                                                      std::uint32_t low) {
  const double fraction = from_signed<double>(low ^ 0x80000000u) + (0x1p31 + 0.5);  // exact
  return fma(fraction, 0x1p-32, from_signed<double>(high));
}

/// x = 2^exponent * (1 + fraction), with 1 + fraction from sqrt(1/2) to sqrt(2).
template <class T>
struct binary_parts {
  T exponent;
  T fraction;
};

/// Splits a positive normal number.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr binary_parts<float> split_binary(float x) {
  constexpr std::uint32_t root_half = 0x3f3504f3;  // the bits of sqrt(1/2), rounded down
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const auto exponent = static_cast<std::int32_t>(bits - root_half) >> 23;
  const float mantissa =
      __builtin_bit_cast(float, bits - (static_cast<std::uint32_t>(exponent) << 23));
  return {static_cast<float>(exponent), mantissa - 1.0f};
}

/// Uses unsigned shifts and converts through the bits of a double: before AVX-512, vectors have no
/// arithmetic 64-bit shift and no conversion of 64-bit integers.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr binary_parts<double> split_binary(double x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcc;
  constexpr std::uint64_t offset = 1024;
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t raised = (bits - root_half + (offset << 52)) >> 52;
  const double exponent =
      __builtin_bit_cast(double, raised | 0x4330000000000000) - (0x1p52 + double{offset});
  const double mantissa = __builtin_bit_cast(double, bits - ((raised - offset) << 52));
  return {exponent, mantissa - 1.0};
}

/// log2(1 + f).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float log2_of_sum(float f, float exponent) {
  return fma(f, quantile_coefficients<float>::log2_ratio(f), exponent);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log2_of_sum(double f, double exponent) {
  const double s = f / (2.0 + f);
  return fma(s, quantile_coefficients<double>::log2_ratio(s * s), exponent);
}

/// Returns |z| of a normal variable z with P(|Z| < |z|) = x; tail is (1 - x) * 2^31.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double normal_magnitude(double x, double tail) {
  using coefficients = quantile_coefficients<double>;
  const binary_parts<double> parts = split_binary(tail);
  const double log = log2_of_sum(parts.fraction, parts.exponent - 31);
  // log is 0 up to rounding near x = 0, where r is meaningless.
  const double r = tandem::sqrt(log < 0 ? -log : 0.0) - tail_from;
  const double v = fma(-x, x, normal_split * normal_split);
  // Both quotients' parts are computed before the choice, so that it needs no branch.
  const double tail_above = coefficients::tail_above(r);
  const double tail_below = coefficients::tail_below(r);
  const double centre_above = x * coefficients::centre_above(v);
  const double centre_below = coefficients::centre_below(v);
  const bool is_central = x < normal_split;
  return (is_central ? centre_above : tail_above) / (is_central ? centre_below : tail_below);
}

/// (k + 1/2) / 2^31 for k < 2^31.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float half_step(std::uint32_t k) {
  const auto number = from_signed<float>(k);
  // A product with a power of two is exact, so these are the same bits.
  if constexpr (on_device) return fma(number, 0x1p-31f, 0x1p-32f);
  return (number + 0.5f) * 0x1p-31f;
}

/// Returns the standard normal variable of a word: from -6.3 to 6.3 in steps of probability 2^-32.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float standard_normal(std::uint32_t word) {
  constexpr std::uint32_t lower = (1u << normal_cubics::row_shift) - 1;
  const std::uint32_t magnitude =
      word ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> 31);
  // 1 - x for P(|Z| < |z|) = x, from the word itself: its bits begin with the row's number.
  const auto tail = __builtin_bit_cast(std::uint32_t, half_step(magnitude ^ 0x7fffffffu));
  const cubic& row =
      target::normal_cubic((tail >> normal_cubics::row_shift) - normal_cubics::first_row);
  const float d = __builtin_bit_cast(float, tail) - __builtin_bit_cast(float, tail & ~lower);
  const float z = half_step(magnitude) * polynomial(d, row.of[0], row.of[1], row.of[2], row.of[3]);
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, z) | (word & 0x80000000u));
}

/// Returns the standard normal variable of 64 bits: from -9.2 to 9.2 in steps of probability 2^-64,
/// as far as doubles distinguish them.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double standard_normal(std::uint32_t low,
                                                                        std::uint32_t high) {
  constexpr std::uint32_t sign = 0x80000000;
  const std::uint32_t flip = (high & sign) != 0 ? 0xffffffffu : 0u;
  const double x = between_words(high ^ flip, low ^ flip) * 0x1p-31;
  const double tail = between_words(high ^ flip ^ ~sign, ~(low ^ flip));
  const double z = normal_magnitude(x, tail);
  const std::uint64_t sign_bit = std::uint64_t{high & sign} << 32;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, z) | sign_bit);
}

/// -log2 of a probability p, given as p * 2^scale if it is below 1/2 and by 1 - p above.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T minus_log2(bool is_below_half, T scaled, T scale,
                                                              T missing) {
  const binary_parts<T> parts = split_binary(scaled);
  const bool is_near_one = missing < T(0.29289321881345248);  // 1 - sqrt(1/2)
  const T nearby = is_near_one ? -missing : fma(T(-2), missing, T(1));
  const T exponent = is_below_half ? parts.exponent - scale : is_near_one ? T(0) : T(-1);
  return -log2_of_sum(is_below_half ? parts.fraction : nearby, exponent);
}

/// Returns the exponential variable of a word in units of the half-life: -log2((word + 1/2) /
/// 2^32).
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float half_lives(std::uint32_t word) {
  const bool is_below_half = word < 0x80000000u;
  const float value = from_signed<float>(is_below_half ? word : ~word) + 0.5f;
  return minus_log2(is_below_half, value, 32.0f, value * 0x1p-32f);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double half_lives(std::uint32_t low,
                                                                   std::uint32_t high) {
  const bool is_below_half = high < 0x80000000u;
  const std::uint32_t flip = is_below_half ? 0u : 0xffffffffu;
  const double value = between_words(high ^ flip, low ^ flip);
  return minus_log2(is_below_half, value, 32.0, value * 0x1p-32);
}

}  // namespace tandem::detail
