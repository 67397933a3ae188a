// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tandem::openmp_impl {

/// Vectors of 16 bytes.
template <std::size_t Bytes>
struct vector_of;
template <>
struct vector_of<1> {
  using type = unsigned char __attribute__((vector_size(16)));
};
template <>
struct vector_of<2> {
  using type = unsigned short __attribute__((vector_size(16)));
};
template <>
struct vector_of<4> {
  using type = unsigned __attribute__((vector_size(16)));
};
template <>
struct vector_of<8> {
  using type = unsigned long long __attribute__((vector_size(16)));
};

/// Elements of a 16-byte vector if it holds several, otherwise 1.
template <std::size_t Bytes>
inline constexpr std::size_t lanes = Bytes < 16 && 16 % Bytes == 0 ? 16 / Bytes : 1;

/// Returns the lower or upper halves of a and b, lanes in turn.
template <int First, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline Vector interleave(Vector a, Vector b, std::index_sequence<Lane...>) {
  constexpr int count = sizeof...(Lane);
  return __builtin_shufflevector(
      a, b, (First + static_cast<int>(Lane / 2) + (Lane % 2 == 0 ? 0 : count))...);
}

/// Transposes a square of lanes<Bytes> rows and columns in registers. Each step interleaves the
/// first half of the vectors with the second: it moves one bit of a lane's number to the vector's.
///
/// @param from           the first element; a column is contiguous
/// @param source_column  bytes from one column to the next
/// @param row            returns the address of row i's elements
template <std::size_t Bytes, class Row>
[[gnu::always_inline]] inline void transpose_square(const char* from, index_t source_column,
                                                    const Row& row) {
  constexpr std::size_t n = lanes<Bytes>;
  if constexpr (n == 1) {
    std::memcpy(row(0), from, Bytes);
  } else {
    using Vector = typename vector_of<Bytes>::type;
    constexpr std::make_index_sequence<n> each{};
    Vector v[n];
    Vector next[n];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(&v[i], from + static_cast<index_t>(i) * source_column, sizeof(Vector));
#pragma GCC unroll 4
    for (std::size_t step = 1; step < n; step *= 2) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < n / 2; ++i) {
        next[2 * i] = interleave<0>(v[i], v[i + n / 2], each);
        next[2 * i + 1] = interleave<n / 2>(v[i], v[i + n / 2], each);
      }
#pragma GCC unroll 16
      for (std::size_t i = 0; i < n; ++i) v[i] = next[i];
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) std::memcpy(row(i), &v[i], sizeof(Vector));
  }
}

}  // namespace tandem::openmp_impl
