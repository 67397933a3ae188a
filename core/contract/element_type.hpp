// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/half.hpp>

#include <concepts>
#include <cstdint>

/// Names for the types of array elements. Code that chooses by type compares names, never sizes:
/// several types may have the same number of bytes. docs/adding-an-element-type.md lists what a new
/// name needs.
namespace tandem {

/// A type of array elements that the library's kernels know.
enum class element_type : unsigned char {
  f32,
  f64,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,  ///< tandem::half
  bf16
};

namespace detail {

/// Integers with a name: every standard one and char, but not bool.
template <class T>
concept named_integer = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8;

/// Types with a name.
template <class T>
concept named_element = std::same_as<T, float> || std::same_as<T, double> ||
                        std::same_as<T, half> || std::same_as<T, bf16> || named_integer<T>;

template <named_integer T>
consteval element_type name_of_integer() {
  constexpr bool negative = static_cast<T>(-1) < T{0};
  switch (sizeof(T)) {
    case 1:
      return negative ? element_type::i8 : element_type::u8;
    case 2:
      return negative ? element_type::i16 : element_type::u16;
    case 4:
      return negative ? element_type::i32 : element_type::u32;
    default:
      return negative ? element_type::i64 : element_type::u64;
  }
}

template <named_element T>
consteval element_type name_of_element() {
  if constexpr (std::same_as<T, float>) return element_type::f32;
  if constexpr (std::same_as<T, double>) return element_type::f64;
  if constexpr (std::same_as<T, half>) return element_type::f16;
  if constexpr (std::same_as<T, bf16>) return element_type::bf16;
  if constexpr (named_integer<T>) return name_of_integer<T>();
}

/// The name of T.
template <named_element T>
inline constexpr element_type element_type_of = name_of_element<T>();

/// Whether T is a signed integer of 8 bits, whose products have sums of 32 bits. For floats of 16
/// bits there is is_16bit_float.
template <class T>
inline constexpr bool is_int8 = std::same_as<T, std::int8_t>;

}  // namespace detail
}  // namespace tandem
