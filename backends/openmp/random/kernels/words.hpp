// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tandem/backends/openmp/random/kernels/table.hpp>

/// Philox in vectors, one counter per 64-bit lane. Everything has internal linkage, so that the
/// file of each instruction set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

#if defined(__AVX512F__)
inline constexpr int random_lanes = 8;
#elif defined(__AVX2__)
inline constexpr int random_lanes = 4;
#else
inline constexpr int random_lanes = 2;
#endif

/// Words in the lower halves of 64-bit lanes; the upper halves are arbitrary.
using random_vector [[gnu::vector_size(8 * random_lanes)]] = std::uint64_t;

/// Products of the lower halves.
[[gnu::always_inline]] inline random_vector multiply_words(random_vector a, std::uint32_t factor) {
  const random_vector b = random_vector{} + factor;
#if defined(__AVX512F__)
  // Uses a mask of all lanes: g++ 12 warns about the undefined lanes of the plain intrinsic.
  return (random_vector)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (random_vector)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (random_vector)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffff) * b;
#endif
}

/// Four words of each lane's counter.
struct random_counters {
  random_vector word[4];
};

/// philox_round() in each lane.
[[gnu::always_inline]] inline void mix_round(random_counters& x, std::uint32_t low,
                                             std::uint32_t high) {
  const random_vector first = multiply_words(x.word[0], 0xd2511f53u);
  const random_vector second = multiply_words(x.word[2], 0xcd9e8d57u);
  x.word[0] = (second >> 32) ^ x.word[1] ^ (random_vector{} + low);
  x.word[1] = second;
  x.word[2] = (first >> 32) ^ x.word[3] ^ (random_vector{} + high);
  x.word[3] = first;
}

/// Stores the counters' words, one counter after another.
[[gnu::always_inline]] inline void store_words(const random_counters& x, std::uint32_t* to) {
  const random_vector front = (x.word[0] & 0xffffffff) | x.word[1] << 32;
  const random_vector back = (x.word[2] & 0xffffffff) | x.word[3] << 32;
#if defined(__AVX512F__)
  const random_vector lower = __builtin_shufflevector(front, back, 0, 8, 1, 9, 2, 10, 3, 11);
  const random_vector upper = __builtin_shufflevector(front, back, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__AVX2__)
  const random_vector lower = __builtin_shufflevector(front, back, 0, 4, 1, 5);
  const random_vector upper = __builtin_shufflevector(front, back, 2, 6, 3, 7);
#else
  const random_vector lower = __builtin_shufflevector(front, back, 0, 2);
  const random_vector upper = __builtin_shufflevector(front, back, 1, 3);
#endif
  __builtin_memcpy(to, &lower, sizeof lower);
  __builtin_memcpy(to + 2 * random_lanes, &upper, sizeof upper);
}

/// Writes the words of `blocks` counters, starting with number `first`, to `to`, which has room for
/// a multiple of 8 of them.
[[gnu::noinline]] inline void make_words(std::uint64_t seed, std::uint64_t first, index_t blocks,
                                         std::uint32_t* to) {
  random_vector lane{};
  for (int i = 0; i < random_lanes; ++i) lane[i] = static_cast<std::uint64_t>(i);
  for (index_t b = 0; b < blocks; b += random_lanes) {
    const random_vector number = lane + (first + static_cast<std::uint64_t>(b));
    random_counters x{{number, number >> 32, random_vector{}, random_vector{}}};
    auto low = static_cast<std::uint32_t>(seed);
    auto high = static_cast<std::uint32_t>(seed >> 32);
#if !defined(__clang__)
#pragma GCC unroll 10
#endif
    for (int round = 0; round < 10; ++round) {
      mix_round(x, low, high);
      low += 0x9e3779b9u;
      high += 0xbb67ae85u;
    }
    store_words(x, to + 4 * b);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
