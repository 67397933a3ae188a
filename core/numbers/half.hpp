// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tandem {

namespace detail {

TANDEM_FUNCTION constexpr std::uint32_t bits_of(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
TANDEM_FUNCTION constexpr float float_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

}  // namespace detail

/// bfloat16 as storage: the upper half of a float. It converts implicitly to float for arithmetic;
/// conversion back, bf16(x), rounds to nearest even, NaN stays NaN (quiet).
class bf16 {
 public:
  bf16() = default;
  TANDEM_FUNCTION constexpr explicit bf16(float x) : bits_(round(detail::bits_of(x))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): every value is a float's, too.
  TANDEM_FUNCTION constexpr operator float() const {
    return detail::float_of(static_cast<std::uint32_t>(bits_) << 16);
  }

  /// The 16 bits: sign, 8 of exponent, 7 of fraction.
  TANDEM_FUNCTION constexpr std::uint16_t bits() const { return bits_; }
  TANDEM_FUNCTION static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 result{};
    result.bits_ = bits;
    return result;
  }

 private:
  TANDEM_FUNCTION static constexpr std::uint16_t round(std::uint32_t x) {
    if ((x & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((x >> 16) | 0x40u);
    return static_cast<std::uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
  }

  std::uint16_t bits_;
};

/// IEEE binary16 as storage. It converts implicitly to float for arithmetic; conversion back,
/// half(x), rounds to nearest even, overflows to infinity, keeps denormals, NaN stays NaN (quiet).
class half {
 public:
  half() = default;
  TANDEM_FUNCTION constexpr explicit half(float x) : bits_(round(detail::bits_of(x))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): every value is a float's, too.
  TANDEM_FUNCTION constexpr operator float() const { return detail::float_of(widen(bits_)); }

  /// The 16 bits: sign, 5 of exponent, 10 of fraction.
  TANDEM_FUNCTION constexpr std::uint16_t bits() const { return bits_; }
  TANDEM_FUNCTION static constexpr half from_bits(std::uint16_t bits) {
    half result{};
    result.bits_ = bits;
    return result;
  }

 private:
  TANDEM_FUNCTION static constexpr std::uint16_t round(std::uint32_t x) {
    const std::uint32_t sign = (x >> 16) & 0x8000u;
    const std::uint32_t magnitude = x & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u)
      return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and up round to infinity
    if (magnitude < 0x38800000u)
      return static_cast<std::uint16_t>(sign | round_small(magnitude));  // below 2^-14
    const std::uint32_t rebiased = magnitude - (112u << 23);
    return static_cast<std::uint16_t>(sign | ((rebiased + 0xfffu + ((rebiased >> 13) & 1u)) >> 13));
  }

  /// Rounds a magnitude below 2^-14 to units of 2^-24: adding 0.5f shifts the units to the lowest
  /// bits and rounds.
  TANDEM_FUNCTION static constexpr std::uint32_t round_small(std::uint32_t magnitude) {
    return detail::bits_of(detail::float_of(magnitude) + 0.5f) - 0x3f000000u;
  }

  TANDEM_FUNCTION static constexpr std::uint32_t widen(std::uint16_t x) {
    const std::uint32_t sign = (x & 0x8000u) << 16;
    const std::uint32_t magnitude = x & 0x7fffu;
    if (magnitude >= 0x7c00u) return sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u) return sign | ((magnitude << 13) + (112u << 23));
    return sign | detail::bits_of(static_cast<float>(magnitude) *
                                  5.9604644775390625e-8f);  // units of 2^-24, exact
  }

  std::uint16_t bits_;
};

namespace detail {

template <class T>
inline constexpr bool is_16bit_float = false;
template <>
inline constexpr bool is_16bit_float<half> = true;
template <>
inline constexpr bool is_16bit_float<bf16> = true;

/// Whether T is half or bf16 and numbers of type From are rounded to it, which C++ does explicitly.
template <class From, class T>
concept rounded_to_16bit = is_16bit_float<T> && !std::same_as<std::remove_cvref_t<From>, T> &&
                           std::convertible_to<From, float>;

/// Whether operations store values of type From in elements of type T without a cast.
template <class From, class T>
concept storable = std::convertible_to<From, T> || rounded_to_16bit<From, T>;

/// A value as elements of type T hold it: numbers are rounded to half and bf16, and the assignment
/// converts all else.
template <class T, class From>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr decltype(auto) as_stored(From&& value) {
  if constexpr (rounded_to_16bit<From, T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<From&&>(value);
  }
}

}  // namespace detail

/// a = T(a op b) for half and bf16: one operation on floats, rounded to T.
///
///   y(i) += a * x(i);                        // the sum is rounded, the product is a float
///   y(i) = tandem::half(a * x(i) + y(i));    // rounded once
template <class T>
  requires detail::is_16bit_float<T>
TANDEM_FUNCTION constexpr T& operator+=(T& a, float b) {
  return a = T(static_cast<float>(a) + b);
}
template <class T>
  requires detail::is_16bit_float<T>
TANDEM_FUNCTION constexpr T& operator-=(T& a, float b) {
  return a = T(static_cast<float>(a) - b);
}
template <class T>
  requires detail::is_16bit_float<T>
TANDEM_FUNCTION constexpr T& operator*=(T& a, float b) {
  return a = T(static_cast<float>(a) * b);
}
template <class T>
  requires detail::is_16bit_float<T>
TANDEM_FUNCTION constexpr T& operator/=(T& a, float b) {
  return a = T(static_cast<float>(a) / b);
}

}  // namespace tandem

namespace tandem::detail {

/// std::numeric_limits of a 16-bit format with `Digits` significant bits, including the implied
/// one, and exponents up to `Exponent`, which is also the bias plus 1.
template <class T, int Digits, int Exponent>
struct float16_limits : std::numeric_limits<float> {
  static constexpr int digits = Digits;
  static constexpr int digits10 = (Digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = Digits * 30103 / 100000 + 2;
  static constexpr int min_exponent = 3 - Exponent;
  static constexpr int max_exponent = Exponent;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = Exponent * 30103 / 100000;

  static constexpr T min() noexcept { return T::from_bits(lowest_bit); }
  static constexpr T max() noexcept { return T::from_bits(infinite - 1); }
  static constexpr T lowest() noexcept { return T::from_bits(sign | (infinite - 1)); }
  static constexpr T epsilon() noexcept { return T(1.0f / (1 << (Digits - 1))); }
  static constexpr T round_error() noexcept { return T(0.5f); }
  static constexpr T infinity() noexcept { return T::from_bits(infinite); }
  static constexpr T quiet_NaN() noexcept { return T::from_bits(infinite | (lowest_bit >> 1)); }
  static constexpr T signaling_NaN() noexcept { return T::from_bits(infinite | (lowest_bit >> 2)); }
  static constexpr T denorm_min() noexcept { return T::from_bits(1); }

 private:
  static constexpr std::uint16_t sign = 0x8000;
  static constexpr std::uint16_t lowest_bit = 1 << (Digits - 1);  ///< lowest of the exponent
  static constexpr std::uint16_t infinite = (0x7fff >> (Digits - 1)) << (Digits - 1);
};

}  // namespace tandem::detail

template <>
class std::numeric_limits<tandem::half>
    : public tandem::detail::float16_limits<tandem::half, 11, 16> {};
template <>
class std::numeric_limits<tandem::bf16>
    : public tandem::detail::float16_limits<tandem::bf16, 8, 128> {};
