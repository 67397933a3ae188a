// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/numbers/half.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

/// Which values operations refuse to convert to the type of an output's elements: the rule of
/// docs/guide/views-and-memory.md. An explicit cast is not affected.
namespace tandem::detail {

/// Integers of at most 64 bits whose values are numbers; bool holds the result of a test, and
/// integers as flags.
template <class T>
concept counting_integer =
    std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= sizeof(std::int64_t);

template <class T>
concept floating_number = std::floating_point<T> || std::same_as<T, half> || std::same_as<T, bf16>;

/// The integer that an enumeration is in arithmetic, if it converts to one; other types themselves.
template <class T>
consteval auto find_arithmetic_type() {
  if constexpr (std::is_enum_v<T> && requires(T value) { +value; })
    return std::type_identity<decltype(+std::declval<T>())>();
  else
    return std::type_identity<T>();
}
template <class T>
using arithmetic_type = typename decltype(find_arithmetic_type<T>())::type;

/// Whether the conversion of a computed value narrows: floating point becomes an integer or bool, a
/// type has fewer bits, or an unsigned integer becomes a signed one of as many bits. Values of int
/// and float may go into smaller types of their kind, because arithmetic of those is computed in
/// int and float, and because literals are int.
template <class Value, class To>
inline constexpr bool narrows = [] {
  using From = arithmetic_type<Value>;
  if constexpr (floating_number<From> && floating_number<To>) {
    return sizeof(From) > sizeof(float) && sizeof(To) < sizeof(From);
  } else if constexpr (floating_number<From>) {
    return std::integral<To>;
  } else if constexpr (counting_integer<From> && (counting_integer<To> || floating_number<To>)) {
    constexpr bool loses_sign_bit = std::unsigned_integral<From> && std::signed_integral<To>;
    return sizeof(From) >= sizeof(int) && !std::same_as<From, int> &&
           (sizeof(To) < sizeof(From) || (loses_sign_bit && sizeof(To) == sizeof(From)));
  } else {
    return false;
  }
}();

/// Whether a single value that a caller gives would lose its fraction: floating point for integers
/// and bool.
template <class Value, class To>
inline constexpr bool loses_fraction = floating_number<Value> && std::integral<To>;

/// Throws argument_error if T is a type of integers that has not this value. Floating point rounds.
template <class T, class Value>
constexpr void require_holds(const char* operation, const char* name, const Value& value) {
  if constexpr (std::is_enum_v<Value> && std::integral<arithmetic_type<Value>>) {
    require_holds<T>(operation, name, +value);
  } else if constexpr (std::integral<Value> && sizeof(Value) <= sizeof(std::int64_t) &&
                       counting_integer<T>) {
    using limits = std::numeric_limits<T>;
    bool is_negative = false;
    if constexpr (std::signed_integral<Value>) is_negative = value < 0;
    const bool holds =
        is_negative
            ? static_cast<std::int64_t>(value) >= static_cast<std::int64_t>(limits::min())
            : static_cast<std::uint64_t>(value) <= static_cast<std::uint64_t>(limits::max());
    if (holds) return;
    throw argument_error(message({operation, ": ", name, " (", value,
                                  ") is outside the range of the type that holds it, ",
                                  limits::min(), " to ", limits::max()}));
  }
}

/// The value as a T. Throws as require_holds() does.
template <class T, class Value>
constexpr T held(const char* operation, const char* name, const Value& value) {
  require_holds<T>(operation, name, value);
  return static_cast<T>(value);
}

}  // namespace tandem::detail
