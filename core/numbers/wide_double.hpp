// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/arithmetic.hpp>

#include <cstdint>

namespace tandem::detail {

/// fraction * 2^exponent: a double that neither overflows nor underflows. The result of each
/// operation is rounded as that of doubles is, so a few operations, whose fractions stay far within
/// the range, have the bits that doubles of unlimited range would have.
struct wide_double {
  double fraction;
  int exponent;

  TANDEM_FUNCTION constexpr wide_double(double scaled, int scale)
      : fraction(scaled), exponent(scale) {}

  /// The fraction of a finite number is in [1, 2), that of zeros, infinities and NaN the number
  /// itself, with an exponent below or above all others.
  TANDEM_FUNCTION constexpr explicit wide_double(double x) : fraction(x), exponent(-beyond_all) {
    const bool subnormal = tandem::abs(x) < 0x1p-1022;
    const std::uint64_t bits = math::bits_of(subnormal ? x * 0x1p54 : x);
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    if (biased == 0x7ff) exponent = beyond_all;
    if (biased == 0 || biased == 0x7ff) return;
    constexpr std::uint64_t exponent_bits = std::uint64_t{0x7ff} << 52;
    fraction = math::double_of((bits & ~exponent_bits) | math::bits_of(1.0));
    exponent = biased - 1023 - (subnormal ? 54 : 0);
  }

  TANDEM_FUNCTION friend constexpr wide_double operator*(wide_double a, wide_double b) {
    return {a.fraction * b.fraction, a.exponent + b.exponent};
  }
  TANDEM_FUNCTION friend constexpr wide_double operator/(wide_double a, wide_double b) {
    return {a.fraction / b.fraction, a.exponent - b.exponent};
  }
  /// The smaller term is below the other one's rounding if its exponent is 1000 less.
  TANDEM_FUNCTION friend constexpr wide_double operator+(wide_double a, wide_double b) {
    const wide_double greater = a.exponent < b.exponent ? b : a;
    const wide_double lesser = a.exponent < b.exponent ? a : b;
    const int distance = lesser.exponent - greater.exponent;
    return {greater.fraction + lesser.fraction * power_of_two(distance < -1000 ? -1000 : distance),
            greater.exponent};
  }
  TANDEM_FUNCTION friend constexpr wide_double operator-(wide_double a) {
    return {-a.fraction, a.exponent};
  }

  /// The nearest double, for fractions within a factor of 2^100 of 1.
  TANDEM_FUNCTION constexpr double to_double() const {
    const int k = exponent < -1200 ? -1200 : (exponent > 1200 ? 1200 : exponent);
    // The first product is exact.
    return fraction * power_of_two(k / 2) * power_of_two(k - k / 2);
  }

 private:
  static constexpr int beyond_all = 1 << 20;

  TANDEM_FUNCTION static constexpr double power_of_two(int k) {
    return math::double_of(static_cast<std::uint64_t>(k + 1023) << 52);
  }
};

}  // namespace tandem::detail
