// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/quantile_coefficients.hpp>
#include <tandem/core/fused.hpp>

#include <cstdint>

namespace tandem::host {

/// a / b and sqrt(x), rounded, for operands and results far from the ends of the range: below 2^100
/// and above 2^-100 in magnitude.
template <class T>
[[gnu::always_inline]] constexpr T quotient_in_range(T a, T b) {
  return a / b;
}
template <class T>
[[gnu::always_inline]] constexpr T root_in_range(T x) {
  return tandem::sqrt(x);
}

}  // namespace tandem::host

/// From random words to normal and exponential variables: inverse cumulative functions in one fixed
/// sequence of +, *, /, sqrt and fused multiply-adds, without branches. A word u of b bits stands
/// for the probability (u + 1/2) / 2^b, and its complement for 1 minus that, so both tails keep
/// their relative accuracy.
namespace tandem::detail {

/// A 32-bit word as a number from -2^31 to 2^31 - 1, which every instruction set converts.
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

/// Shifts unsigned words and converts by the bits of a double: vectors have no arithmetic shift and
/// no conversion of 64 bits before AVX-512.
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

/// The parts of a quotient.
template <class T>
struct ratio {
  T above;
  T below;
};

/// |z| of a normal variable z with P(|Z| < |z|) = x, for x below normal_split.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr ratio<T> normal_centre(T x) {
  using Coefficients = quantile_coefficients<T>;
  constexpr T split = T(normal_split);
  const T v = fma(-x, x, split * split);
  return {x * Coefficients::centre_above(v), Coefficients::centre_below(v)};
}

/// |z| for other x, where tail is (1 - x) * 2^scale; meaningless below normal_split.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr ratio<T> normal_beyond(T tail, T scale) {
  using Coefficients = quantile_coefficients<T>;
  constexpr T from = T(tail_from);
  const binary_parts<T> parts = split_binary(tail);
  const T log = log2_of_sum(parts.fraction, parts.exponent - scale);
  // log is 0 but for rounding near x = 0.
  const T r = target::root_in_range(log < T(0) ? -log : T(0)) - from;
  return {Coefficients::tail_above(r), Coefficients::tail_below(r)};
}

template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T normal_magnitude(T x, T tail, T scale) {
  const ratio<T> beyond = normal_beyond(tail, scale);
  const ratio<T> near = normal_centre(x);
  const bool is_central = x < T(normal_split);
  const T above = is_central ? near.above : beyond.above;
  const T below = is_central ? near.below : beyond.below;
  return target::quotient_in_range(above, below);
}

/// A word for the standard normal variable of floats: from -6.3 to 6.3 in steps of probability
/// 2^-32.
struct normal_word {
  static constexpr std::uint32_t sign = 0x80000000;
  std::uint32_t word;

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr std::uint32_t magnitude() const {
    return (word & sign) != 0 ? ~word : word;
  }
  /// The arguments x and tail of the functions above, for a scale of 31.
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr float x() const {
    const auto number = from_signed<float>(magnitude());
    // A product with a power of two is exact, so these are the same bits.
    if constexpr (on_device) return fma(number, 0x1p-31f, 0x1p-32f);
    return (number + 0.5f) * 0x1p-31f;
  }
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr float tail() const {
    return from_signed<float>(magnitude() ^ ~sign) + 0.5f;
  }
  /// The variable of magnitude z.
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr float with_sign(float z) const {
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, z) | (word & sign));
  }
};

/// The standard normal variable of a word.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float standard_normal(std::uint32_t word) {
  const normal_word u{word};
  return u.with_sign(normal_magnitude(u.x(), u.tail(), 31.0f));
}

/// The standard normal variable of 64 bits: from -9.2 to 9.2 in steps of probability 2^-64, as far
/// as doubles tell them apart.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double standard_normal(std::uint32_t low,
                                                                        std::uint32_t high) {
  constexpr std::uint32_t sign = 0x80000000;
  const std::uint32_t flip = (high & sign) != 0 ? 0xffffffffu : 0u;
  const double x = between_words(high ^ flip, low ^ flip) * 0x1p-31;
  const double tail = between_words(high ^ flip ^ ~sign, ~(low ^ flip));
  const double z = normal_magnitude(x, tail, 31.0);
  const std::uint64_t sign_bit = std::uint64_t{high & sign} << 32;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, z) | sign_bit);
}

/// -log2 of a probability p, given as p * 2^scale where it is below 1/2 and by 1 - p above.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T minus_log2(bool is_below_half, T scaled, T scale,
                                                              T missing) {
  const binary_parts<T> parts = split_binary(scaled);
  const bool is_near_one = missing < T(0.29289321881345248);  // 1 - sqrt(1/2)
  const T near = is_near_one ? -missing : fma(T(-2), missing, T(1));
  const T exponent = is_below_half ? parts.exponent - scale : is_near_one ? T(0) : T(-1);
  return -log2_of_sum(is_below_half ? parts.fraction : near, exponent);
}

/// The exponential variable of a word in units of the half-life: -log2((word + 1/2) / 2^32).
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
