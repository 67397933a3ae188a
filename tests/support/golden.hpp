// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "support/data.hpp"

#include <tandem/tandem.hpp>

/// Hashes of results, for tests that compare them with kept ones.
namespace tandem::test {

inline std::uint64_t combined(std::uint64_t hash, std::uint64_t more) { return mix(hash ^ more); }

/// Returns the bits of a result in 64 bits; results with several parts are mixed.
template <class T>
std::uint64_t word_of(const T& x) {
  if constexpr (requires { x.bits(); }) {
    return x.bits();
  } else if constexpr (requires { x.real(); }) {
    return combined(word_of(x.real()), word_of(x.imag()));
  } else if constexpr (requires { x.index; }) {
    return combined(word_of(x.value), static_cast<std::uint64_t>(x.index));
  } else if constexpr (requires { x.minimum; }) {
    return combined(word_of(x.minimum), word_of(x.maximum));
  } else {
    return static_cast<std::uint64_t>(bits_of(x));
  }
}

/// Hashes results and their positions.
template <class T>
std::uint64_t hash_of_all(const std::vector<T>& values) {
  std::uint64_t hash = values.size();
  for (const T& value : values) hash = combined(hash, word_of(value));
  return hash;
}

/// Value number i of a type: a random integer or floating-point number, rounded for 16-bit formats,
/// or a complex number of two such.
template <class T>
T golden_value(std::uint64_t seed, std::uint64_t i) {
  if constexpr (requires(T x) { x.real(); }) {
    using Part = typename T::value_type;
    return T(random_value<Part>(seed, 2 * i), random_value<Part>(seed, 2 * i + 1));
  } else if constexpr (requires(T x) { x.bits(); }) {
    return T(random_value<float>(seed, i));
  } else {
    return random_value<T>(seed, i);
  }
}

template <class T>
std::vector<T> golden_values(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = golden_value<T>(seed, i);
  return values;
}

}  // namespace tandem::test
