// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/target.hpp>
#include <tandem/core/math.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// Arithmetic for functions that kernels of the CPU's instruction sets share with kernels of users:
/// always inlined, so that no object keeps a copy of its own for the linker to choose.
namespace tandem::detail {

/// a * b + c, rounded once.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T fused(T a, T b, T c) {
  if constexpr (on_device) {
    return target::fma(a, b, c);
  } else if constexpr (std::is_same_v<T, float>) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
}

/// Square root of x >= 0, correctly rounded.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T square_root(T x) {
  if constexpr (on_device) {
    return target::sqrt(x);
  } else if constexpr (std::is_same_v<T, float>) {
    return __builtin_sqrtf(x);
  } else {
    return __builtin_sqrt(x);
  }
}

/// Horner's rule with one rounding per degree, the constant coefficient first.
template <class T, std::same_as<T>... Higher>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T horner([[maybe_unused]] T x, T constant,
                                                          Higher... higher) {
  if constexpr (sizeof...(Higher) == 0) {
    return constant;
  } else {
    return fused(horner(x, higher...), x, constant);
  }
}

/// A 32-bit word as a number from -2^31 to 2^31 - 1, which every instruction set converts.
template <class T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr T from_signed(std::uint32_t word) {
  return static_cast<T>(static_cast<std::int32_t>(word));
}

/// (high * 2^32 + low + 1/2) / 2^32 for high < 2^31, rounded once.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double between_words(std::uint32_t high,
                                                                      std::uint32_t low) {
  const double fraction = from_signed<double>(low ^ 0x80000000u) + (0x1p31 + 0.5);  // exact
  return fused(fraction, 0x1p-32, from_signed<double>(high));
}

}  // namespace tandem::detail
