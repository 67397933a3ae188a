// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tandem/core/numbers/half.hpp>

/// Models in integers what a Hopper tensor core computes in one step of products. The GPU's 16-bit
/// and tf32 results are compared with it bit for bit. Found by experiment on an H200, where
/// mma.sync and wgmma both follow it.
namespace tandem::test {

/// Properties of a type in the tensor cores: how many terms one step adds, and the exponent of its
/// subnormal numbers.
struct tensor_format {
  int step = 16;
  int least_exponent = -126;
};

template <class In>
inline constexpr tensor_format tensor_format_of{};
template <>
inline constexpr tensor_format tensor_format_of<half>{16, -14};
template <>
inline constexpr tensor_format tensor_format_of<float>{8, -126};  // tf32

/// Converts a float to tf32: rounds to 11 significant bits, to nearest even; NaN stays NaN.
inline float to_tf32(float x) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
}

/// sign * significand * 2^(exponent - 46), with as many fraction bits as a product may have.
struct tensor_term {
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};

/// Unpacks a finite number without normalising it: below 2^least its exponent is `least`.
inline tensor_term unpack_term(float x, int least, int fraction) {
  if (x == 0) return {std::signbit(x), 0, least};
  const int exponent = std::max(std::ilogb(x), least);
  const double significand = std::ldexp(std::abs(static_cast<double>(x)), fraction - exponent);
  return {std::signbit(x), static_cast<std::uint64_t>(significand), exponent};
}

/// Returns the exact product of two numbers.
inline tensor_term multiply_terms(float a, float b, int least) {
  const tensor_term x = unpack_term(a, least, 23);
  const tensor_term y = unpack_term(b, least, 23);
  return {x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent};
}

/// Adds numbers as the tensor cores do: aligned to the largest exponent, truncated to 25 fraction
/// bits there, added exactly, and truncated to a float.
inline float add_terms(std::span<const tensor_term> terms) {
  constexpr int fraction = 25;
  int largest = std::numeric_limits<int>::min();
  for (const tensor_term& term : terms)
    if (term.significand != 0) largest = std::max(largest, term.exponent);
  std::int64_t sum = 0;
  for (const tensor_term& term : terms) {
    if (term.significand == 0) continue;
    const int shift = 46 - fraction + largest - term.exponent;
    const auto cut = static_cast<std::int64_t>(shift < 64 ? term.significand >> shift : 0);
    sum += term.negative ? -cut : cut;
  }
  if (sum == 0) return 0.0f;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = largest - fraction;  // unit of the sum, as a power of 2
  const int excess = std::max(static_cast<int>(std::bit_width(magnitude)) - 24, -149 - unit);
  const std::uint64_t kept = excess <= 0   ? magnitude
                             : excess < 64 ? magnitude >> excess << excess
                                           : std::uint64_t{0};
  const double value = std::ldexp(static_cast<double>(kept), unit);
  const float result =
      value < 0x1p128 ? static_cast<float>(value) : std::numeric_limits<float>::infinity();
  return sum < 0 ? -result : result;
}

/// Returns c + the products of one step. A NaN result has no particular payload.
inline float tensor_step(std::span<const float> a, std::span<const float> b, float c,
                         const tensor_format& format) {
  float special = c;  // the result if anything is infinite or NaN
  bool finite = std::isfinite(c);
  tensor_term terms[17];
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      terms[i] = multiply_terms(a[i], b[i], format.least_exponent);
    } else {
      special = (finite ? 0.0f : special) + a[i] * b[i];
      finite = false;
    }
  }
  if (!finite) return special;
  terms[a.size()] = unpack_term(c, -126, 46);
  return add_terms({terms, a.size() + 1});
}

/// Returns c + the products of one step of 8-bit integers: exact modulo 2^32, so steps of any
/// length and order have one result.
inline std::int32_t integer_step(std::span<const std::int8_t> a, std::span<const std::int8_t> b,
                                 std::int32_t c) {
  auto sum = static_cast<std::uint32_t>(c);
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::uint32_t>(a[i] * b[i]);
  return static_cast<std::int32_t>(sum);
}

/// Adds all products of a chunk, from +0, step by step; the last step is padded with zeros.
inline float tensor_chain(std::span<const float> a, std::span<const float> b,
                          const tensor_format& format) {
  float sum = 0.0f;
  const auto step = static_cast<std::size_t>(format.step);
  for (std::size_t first = 0; first < a.size(); first += step) {
    const std::size_t count = std::min(step, a.size() - first);
    sum = tensor_step(a.subspan(first, count), b.subspan(first, count), sum, format);
  }
  return sum;
}

/// Multiplies a row of a and a column of b as matmul does: adds the chunks' sums in ascending
/// order.
///
/// @param chunk  terms of a chunk (tensor_chunk of policy.hpp)
inline float tensor_element(std::span<const float> a, std::span<const float> b, std::size_t chunk,
                            const tensor_format& format) {
  float total =
      tensor_chain(a.first(std::min(chunk, a.size())), b.first(std::min(chunk, b.size())), format);
  for (std::size_t first = chunk; first < a.size(); first += chunk) {
    const std::size_t count = std::min(chunk, a.size() - first);
    total += tensor_chain(a.subspan(first, count), b.subspan(first, count), format);
  }
  return total;
}

}  // namespace tandem::test
