// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/// Seeded inputs, equal on every machine, and bit-for-bit comparison.
namespace tandem::test {

/// Next value of a 64-bit sequence: splitmix64, Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.
inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Value number i of a seeded sequence: integers over all their values, floating point of both
/// signs over 13 binades, so that the order of a sum shows in its bits.
template <class T>
T random_value(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t bits = mix(mix(seed) ^ i);
  if constexpr (std::is_floating_point_v<T>) {
    const double unit = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
    return static_cast<T>(std::ldexp(unit, static_cast<int>(mix(bits) % 13) - 6));
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = random_value<T>(seed, i);
  return values;
}

/// Returns integers 0 <= v < bound.
template <class T>
std::vector<T> random_below(std::size_t count, std::uint64_t bound, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(mix(mix(seed) ^ i) % bound);
  return values;
}

/// Sizes at which reductions, scans and loops tend to fail first: tiles are 512 to 4096 elements.
inline std::vector<std::size_t> hostile_sizes() {
  return {0,   1,    2,    15,   16,   17,   31,   32,   33,   511,  512,
          513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 131073};
}

/// A size above a million, for cases that can afford it on every backend.
inline constexpr std::size_t large_size = (std::size_t{1} << 20) + 7;

/// Inputs that break careless arithmetic: NaN, infinities, both zeros, denormals, the extremes, all
/// equal, sorted.
template <class T>
std::vector<T> hostile_values(std::size_t count, int kind) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = random_values<T>(count, 99);
  const T special[] = {
      limits::quiet_NaN(),  limits::infinity(),    -limits::infinity(), T(-0.0),         T(0.0),
      limits::denorm_min(), -limits::denorm_min(), limits::max(),       limits::lowest()};
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == 0) values[i] = T(3.25);
    if (kind == 1) values[i] = static_cast<T>(i) * T(0.5);
    if (kind == 2) values[i] = T(-0.0);
    if (kind == 3 && i % 7 == 3) values[i] = special[3 + i / 7 % 4];
    if (kind == 4 && i % 97 == 5) values[i] = special[i / 97 % 9];
  }
  return values;
}
inline constexpr int hostile_kinds = 5;

/// Returns the bits of a value, with all NaNs equal: payloads are not guaranteed.
template <class T>
auto bits_of(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isnan(x) ? std::uint64_t{0x7ff8000000000000u} : std::bit_cast<std::uint64_t>(x);
  } else {
    return x;
  }
}

/// Whether two values have the same bits, with all NaNs equal.
template <class T>
bool same_bits(T a, T b) {
  return bits_of(a) == bits_of(b);
}

/// Index of the first element whose bits differ, or -1; a size mismatch counts as a difference at
/// the shorter size.
template <class T>
long first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  const std::size_t common = a.size() < b.size() ? a.size() : b.size();
  for (std::size_t i = 0; i < common; ++i) {
    if (!same_bits(a[i], b[i])) return static_cast<long>(i);
  }
  return a.size() == b.size() ? -1 : static_cast<long>(common);
}

/// Whether all bytes are equal, NaN payloads included.
template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// A 64-bit hash of values and their positions, for golden results.
template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  std::uint64_t hash = values.size();
  for (const T& value : values) hash = mix(hash ^ static_cast<std::uint64_t>(bits_of(value)));
  return hash;
}

}  // namespace tandem::test
