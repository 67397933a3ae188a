// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>
#include <tandem/core/math/inverse_pi.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Reduces angles to a period. Floats use one branch-free method for all magnitudes. Doubles use a
// short method up to 2^20 and, beyond, the product with 192 bits of 2 / pi (Payne and Hanek,
// "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983).

namespace tandem {

namespace host {

inline constexpr detail::math::multiples_of_inverse_pi multiples{};

/// Returns element `i` of the table in inverse_pi.hpp.
[[gnu::always_inline]] constexpr double multiple_of_inverse_pi(std::size_t i) {
  return multiples.parts[i];
}

}  // namespace host

namespace detail::math {

[[gnu::always_inline]] TANDEM_FUNCTION constexpr double multiple_of_inverse_pi(std::size_t i) {
  return target::multiple_of_inverse_pi(i);
}

/// Counts quarter turns; on hosts as wide as a double, so that loops over both have one vector
/// length.
using quarter_count = std::conditional_t<on_device, std::uint32_t, std::uint64_t>;

/// Returns the low bits of a count.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr quarter_count quarters_of(std::uint64_t count) {
  if constexpr (on_device) {
    return static_cast<std::uint32_t>(count);
  } else {
    return count;
  }
}

/// An angle: `quarters` quarter turns and high + low radians, at most pi / 4 in magnitude.
struct reduced_angle {
  quarter_count quarters;
  double high;
  double low;
};

/// For |x| <= 2^20: pi / 2 in three parts; the products of the first two with an integer of 21 bits
/// are exact.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr reduced_angle reduce_small(double x) {
  const double sum = fma(x, 0x1.45f306dc9c883p-1, to_integer);
  const double k = sum - to_integer;
  const double first = fma(k, -0x1.921fb54400000p+0, x);
  const auto [second, lost] = ordered_sum(first, k * -0x1.0b4611a600000p-34);
  const auto [high, low] = ordered_sum(second, fma(k, -0x1.3198a2e037073p-69, lost));
  return {quarters_of(bits_of(sum)), high, low};
}

/// Returns 64 bits of 2 / pi from bit number `from` after its binary point; earlier bits are 0.
TANDEM_FUNCTION constexpr std::uint64_t bits_of_two_over_pi(int from) {
  constexpr std::uint64_t words[20] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
      0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  const int shifted = from + 64;
  const int word = shifted / 64 - 1;
  const int shift = shifted % 64;
  const std::uint64_t first = word < 0 ? 0 : words[word];
  return shift == 0 ? first : first << shift | words[word + 1] >> (64 - shift);
}

/// Returns the upper half of a 128-bit product.
TANDEM_FUNCTION constexpr std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b >> 64);
}

/// For 2^20 <= x < infinity: x is an integer of 53 bits times 2^e, and the bits of 2 / pi that
/// matter modulo 4 begin at number e - 2.
TANDEM_FUNCTION constexpr reduced_angle reduce_large(double x) {
  const int e = static_cast<int>(bits_of(x) >> 52) - 1075;
  const std::uint64_t m = (bits_of(x) & 0x000fffffffffffff) | 0x0010000000000000;
  const std::uint64_t w[] = {bits_of_two_over_pi(e - 2), bits_of_two_over_pi(e + 62),
                             bits_of_two_over_pi(e + 126)};
  const std::uint64_t carry = upper_product(m, w[2]);
  const std::uint64_t middle = m * w[1] + carry;
  const std::uint64_t top = m * w[0] + upper_product(m, w[1]) + (middle < carry ? 1 : 0);
  const std::uint64_t bottom = m * w[2];
  const auto whole = quarters_of(top >> 62);
  const bool up = (top >> 61 & 1) != 0;  // the fraction is 1/2 or more: count from above
  const std::uint64_t flip = up ? ~std::uint64_t{0} : 0;
  const std::uint64_t a = (top << 2 | middle >> 62) ^ flip;
  const std::uint64_t b = (middle << 2 | bottom >> 62) ^ flip;
  const std::uint64_t c = (bottom << 2) ^ flip;
  constexpr std::uint64_t lower = 0xffffffff;
  auto [high, low] =
      ordered_sum(static_cast<double>(a >> 32) * 0x1p-32, static_cast<double>(a & lower) * 0x1p-64);
  const auto next = ordered_sum(low, static_cast<double>(b >> 32) * 0x1p-96);
  const auto both = ordered_sum(high, next.high);
  low = both.low + (next.low + (static_cast<double>(b & lower) * 0x1p-128 +
                                static_cast<double>(c >> 32) * 0x1p-160));
  high = both.high;
  const auto [fraction, rest] = ordered_sum(high, low);
  const double sign = negated_if_odd(up, 1.0);
  const double angle = fraction * 0x1.921fb54442d18p+0;
  const double error = fma(fraction, 0x1.921fb54442d18p+0, -angle) +
                       fma(fraction, 0x1.1a62633145c07p-54, rest * 0x1.921fb54442d18p+0);
  return {whole + (up ? 1u : 0u), sign * angle, sign * error};
}

/// Reduces x to [-pi/4, pi/4]; NaN for infinities.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr reduced_angle reduce(double x) {
  if (abs(x) <= 0x1p20) return reduce_small(x);
  if (!(abs(x) < infinity)) return {0, quiet_nan, 0.0};
  const reduced_angle angle = reduce_large(abs(x));
  if (x > 0.0) return angle;
  return {0u - angle.quarters, -angle.high, -angle.low};
}

}  // namespace detail::math
}  // namespace tandem
