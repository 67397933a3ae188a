// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math/elementary.hpp>
#include <tandem/core/numbers/fused.hpp>
#include <tandem/core/numbers/half.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

// Building blocks of the functions of <tandem/core/math.hpp>. Functions of float are evaluated in
// double and are correctly rounded, whether or not products and sums are fused (proved for every
// input, docs/numerics.md), so each target uses its fastest instructions. Functions of double are a
// fixed sequence of operations with explicit fused multiply-adds.

namespace tandem::host {

/// Whether operations on doubles take about 32 or 64 times as long as those on floats.
inline constexpr bool doubles_are_slow = false;

}  // namespace tandem::host

namespace tandem::detail {

// What numeric_limits returns, as variables: device code may not call a host function, in some
// instantiations not even if the call is a constant.
template <class T>
inline constexpr T largest_of = std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest_of = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T infinity_of = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

}  // namespace tandem::detail

namespace tandem::detail::math {

/// Fused multiply-adds: the arithmetic of functions of double.
struct fused {
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double multiply_add(double a, double b,
                                                                              double c) {
    return tandem::fma(a, b, c);
  }
  template <class... Coefficients>
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double polynomial(
      double x, Coefficients... coefficients) {
    return tandem::polynomial(x, coefficients...);
  }
};

/// Whether a fused multiply-add is one instruction on the target.
#if defined(__FP_FAST_FMA) || defined(__FMA__)
inline constexpr bool has_fast_fma = true;
#else
inline constexpr bool has_fast_fma = on_device;
#endif

/// Products and sums in the target's fastest form: the arithmetic of functions of float. The
/// parameter separates code for targets with and without the instruction in one program.
template <bool Fuse>
struct fastest {
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double multiply_add(double a, double b,
                                                                              double c) {
    if constexpr (Fuse) {
      return tandem::fma(a, b, c);
    } else {
      return a * b + c;
    }
  }
  template <class... Coefficients>
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double polynomial(
      double x, Coefficients... coefficients) {
    const double values[] = {coefficients...};
    return horner(x, values, std::make_index_sequence<sizeof...(Coefficients) - 1>());
  }

 private:
  template <std::size_t Count, std::size_t... Position>
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double horner(
      double x, const double (&coefficients)[Count], std::index_sequence<Position...>) {
    double value = coefficients[Count - 1];
    ((value = multiply_add(value, x, coefficients[Count - 2 - Position])), ...);
    return value;
  }
};
using quick = fastest<has_fast_fma>;

[[gnu::always_inline]] TANDEM_FUNCTION constexpr std::uint64_t bits_of(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double double_of(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
using tandem::detail::bits_of;
using tandem::detail::float_of;

inline constexpr double infinity = __builtin_huge_val();
inline constexpr double quiet_nan = __builtin_nan("");
inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double ln2_high = 0x1.62e42feep-1;  // 32 bits: products with exponents are exact
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double log2_e = 0x1.71547652b82fep+0;

/// Rounds a double below 2^51 in magnitude to an integer when it is added; the integer is then in
/// the sum's lowest bits.
inline constexpr double to_integer = 0x1.8p52;

/// A number in two parts; `low` is below the last bit of `high` or near it.
struct sum_of_two {
  double high;
  double low;
};

/// Returns a + b without error.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// Returns a + b without error if a is the larger one or any multiple of b's last bit.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two ordered_sum(double a, double b) {
  if constexpr (on_device) return exact_sum(a, b);
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// Returns (a.high + a.low) / (b.high + b.low), to some bits more than a double has.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two quotient(sum_of_two a, sum_of_two b) {
  const double high = a.high / b.high;
  return {high, (fma(-high, b.high, a.high) + (a.low - high * b.low)) / b.high};
}

/// Multiplies numbers in two parts, to some bits more than a double has.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two product(sum_of_two a, sum_of_two b) {
  const double high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr sum_of_two sum(sum_of_two a, sum_of_two b) {
  const auto [high, low] = exact_sum(a.high, b.high);
  const double rest = low + (a.low + b.low);
  const double total = high + rest;
  return {total, (high - total) + rest};
}

/// Returns the float nearest to high + low, rounded once although the sum has more bits than a
/// double. Setting the double's last bit when further bits follow keeps it on the right side of
/// every midpoint of two floats.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float rounded_once(double high, double low) {
  const bool down = (low < 0.0) != (high < 0.0);
  const std::uint64_t odd = low == 0.0 ? 0 : 1;
  return static_cast<float>(double_of((bits_of(high) - (odd != 0 && down ? 1 : 0)) | odd));
}

/// |x| with the sign of `sign`.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double with_sign_of(double x, double sign) {
  constexpr std::uint64_t bit = std::uint64_t{1} << 63;
  return double_of((bits_of(x) & ~bit) | (bits_of(sign) & bit));
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float with_sign_of(float x, float sign) {
  constexpr std::uint32_t bit = std::uint32_t{1} << 31;
  return float_of((bits_of(x) & ~bit) | (bits_of(sign) & bit));
}

/// Returns -x if `odd` is odd, otherwise x. Hosts flip the sign bit, which never becomes a branch.
template <std::unsigned_integral T>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double negated_if_odd(T odd, double x) {
  if constexpr (on_device) return (odd & 1) != 0 ? -x : x;
  return double_of(bits_of(x) ^ static_cast<std::uint64_t>(odd) << 63);
}

/// condition ? a : b by masks, for hosts: g++ turns conditions on integers into a switch, from g++
/// 13 on threads jumps through those on floats, and vectorises neither.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float select(bool condition, float a, float b) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return float_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/// Returns `value`, or the result in the lower half of one of `Cases` if x has the bits in its
/// upper half: the inputs for which rounding to double and then to float differs from rounding
/// once.
template <std::uint64_t... Cases>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float corrected(float x, float value) {
  const auto replace = [x, &value](float input, float result) {
    if constexpr (on_device) {
      value = x == input ? result : value;
    } else {
      value = select(x == input, result, value);
    }
  };
  (replace(float_of(static_cast<std::uint32_t>(Cases >> 32)),
           float_of(static_cast<std::uint32_t>(Cases))),
   ...);
  return value;
}

}  // namespace tandem::detail::math

namespace tandem::detail {

/// Types that the functions of <tandem/core/math.hpp> take.
template <class T>
concept real = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, half> ||
               std::same_as<T, bf16>;

/// 16-bit formats, whose functions are those of float with an additional rounding.
template <class T>
concept real16 = std::same_as<T, half> || std::same_as<T, bf16>;

}  // namespace tandem::detail
