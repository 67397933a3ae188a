// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "fuzz/operations.hpp"
#include "support/data.hpp"

/// Values of cases, and how results are compared: bit for bit, with all NaNs equal.
namespace tandem::fuzz {

/// Whether a type consists of 16-bit floating point.
template <class T>
inline constexpr bool is_16bit_float = std::is_same_v<T, half> || std::is_same_v<T, bf16>;

template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_16bit_float<T>;

/// Whether two values have the same bits.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (is_16bit_float<T>) {
    return a.bits() == b.bits() || (is_nan(float{a}) && is_nan(float{b}));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return test::same_bits(a, b);
  } else if constexpr (requires { a.index; }) {
    return a.index == b.index && same(a.value, b.value);
  } else if constexpr (requires { a.terms; }) {
    return a.terms == b.terms && same(a.value, b.value);
  } else if constexpr (requires { a.minimum; }) {
    return same(a.minimum, b.minimum) && same(a.maximum, b.maximum);
  } else if constexpr (requires { a.imag(); }) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (requires { a == b; }) {
    return a == b;
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

/// Formats a value for a message.
template <class T>
std::string shown(const T& x) {
  if constexpr (is_real<T>) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a", static_cast<double>(x));
    return buffer;
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(x);
  } else if constexpr (requires { x.index; }) {
    return "{" + shown(x.value) + " at " + std::to_string(x.index) + "}";
  } else if constexpr (requires { x.terms; }) {
    return "{" + shown(x.value) + " of " + std::to_string(x.terms) + "}";
  } else if constexpr (requires { x.minimum; }) {
    return "{" + shown(x.minimum) + " to " + shown(x.maximum) + "}";
  } else if constexpr (requires { x.imag(); }) {
    return "(" + shown(x.real()) + ", " + shown(x.imag()) + ")";
  } else {
    std::string bytes = "bytes";
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes += " " + std::to_string(reinterpret_cast<const unsigned char*>(&x)[i]);
    return bytes;
  }
}

/// Throws unless two values have the same bits.
template <class T>
void require_same(const T& result, const T& expected, const std::string& what) {
  if (!same(result, expected))
    throw mismatch(what + " is " + shown(result) + ", not " + shown(expected));
}

template <class T>
void require_same(const std::vector<T>& result, const std::vector<T>& expected,
                  const std::string& what) {
  require_same(result.size(), expected.size(), "size of " + what);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!same(result[i], expected[i]))
      require_same(result[i], expected[i], what + "[" + std::to_string(i) + "]");
  }
}

/// A value that arithmetic treats specially: NaN, infinity, a zero, a subnormal, an extreme.
template <class T>
T special_value(std::uint64_t i) {
  if constexpr (is_16bit_float<T>) {
    return T(special_value<float>(i));
  } else {
    using limits = std::numeric_limits<T>;
    const T all[] = {limits::quiet_NaN(),
                     limits::infinity(),
                     T(-limits::infinity()),
                     T(-0.0),
                     T(0),
                     limits::denorm_min(),
                     T(-limits::denorm_min()),
                     limits::max(),
                     limits::lowest(),
                     T(limits::min() / T(2.5)),
                     T(-limits::quiet_NaN())};
    return all[i % std::size(all)];
  }
}

/// Value i of a kind, in the order of the words in draw_values().
template <class T>
T value_of_kind(int kind, std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t bits = test::mix(test::mix(seed) ^ i);
  if constexpr (requires(T x) { x.imag(); }) {
    using part = decltype(T{}.imag());
    return T(value_of_kind<part>(kind, seed, 2 * i), value_of_kind<part>(kind, seed, 2 * i + 1));
  } else if constexpr (!std::is_arithmetic_v<T> && !is_16bit_float<T>) {
    T value{};
    for (std::size_t b = 0; b < sizeof(T); ++b)
      reinterpret_cast<unsigned char*>(&value)[b] = static_cast<unsigned char>(bits >> (b % 8 * 8));
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    if (kind == 0) return static_cast<T>(i % 5);
    if (kind == 2) return static_cast<T>(bits % 3);
    if (kind == 3) return static_cast<T>(i);
    if (kind == 4)
      return bits % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    return static_cast<T>(bits);
  } else {
    const auto number = [](double x) { return static_cast<T>(static_cast<float>(x)); };
    const auto random = test::random_value<float>(seed, i);
    if (kind == 0) return number(static_cast<double>(i % 5));
    if (kind == 2) return number(static_cast<double>(bits % 3) - 1);
    if (kind == 3) return number(static_cast<double>(i) * 0.25);
    if (kind == 4) return number(std::ldexp(double{random}, bits % 2 == 0 ? 120 : -148));
    if (kind == 5) return bits % 4 == 0 ? special_value<T>(bits >> 8) : T(random);
    if (kind == 6) return bits % 997 == 0 ? special_value<T>(bits >> 16) : T(random);
    if (kind == 7) return bits % 2 == 0 ? T(-0.0F) : T(0.0F);
    if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      constexpr int binades = limits::max_exponent - limits::min_exponent + limits::digits;
      if (kind == 8)
        return std::ldexp(test::random_value<T>(seed, i),
                          limits::max_exponent - static_cast<int>(bits % binades));
    }
    if constexpr (std::is_floating_point_v<T>) return test::random_value<T>(seed, i);
    return T(random);
  }
}

/// How values are generated.
struct value_kind {
  int kind;
  std::uint64_t seed;

  template <class T>
  T at(std::uint64_t i) const {
    return value_of_kind<T>(kind, seed, i);
  }
  template <class T>
  std::vector<T> make(index_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = at<T>(i);
    return values;
  }
};

/// Draws how values are generated; `finite` excludes all but ordinary numbers.
inline value_kind draw_values(draw& d, const std::string& name, bool finite = false) {
  const int kind = finite ? d.pick(name, {"digits", "random", "few", "ascending"})
                          : d.pick(name, {"digits", "random", "few", "ascending", "extremes",
                                          "specials", "rare", "zeros", "binades"});
  return {kind, static_cast<std::uint64_t>(d.number(name + ".seed", 0, 1 << 20))};
}

}  // namespace tandem::fuzz
