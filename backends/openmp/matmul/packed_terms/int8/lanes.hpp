// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/int8/make_table.hpp>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// Lanes of 32-bit sums for the files of several instruction sets. The vectors of an instruction
/// set exist only in files compiled for it: others could not pass them to functions.
namespace tandem::openmp_impl {
namespace {

#if defined(__AVX2__)
/// The type of __m256i without its attributes, which a template argument would drop with a warning.
typedef long long integer_vector __attribute__((vector_size(32)));

/// Eight sums of 32 bits: Lanes for 8-bit integers without `dot`, which depends on the instruction.
struct eight_int8_lanes {
  using element = std::int32_t;
  typedef std::uint32_t vector __attribute__((vector_size(32)));
  static constexpr int lanes = 8;
  static vector broadcast(element x) { return (vector)_mm256_set1_epi32(x); }
  static vector fma(vector a, vector b, vector c) { return a * b + c; }
  using mask = integer_vector;
  static mask first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static vector load_part(const element* p, mask m) { return (vector)_mm256_maskload_epi32(p, m); }
  static void store_part(element* p, mask m, vector x) { _mm256_maskstore_epi32(p, m, (__m256i)x); }
  static void stream(element* p, vector x) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)x);
  }
  static void fence() { _mm_sfence(); }
};
#endif

#if defined(__AVX512F__)
/// Sixteen sums of 32 bits: Lanes without `dot`, as above.
struct sixteen_int8_lanes {
  using element = std::int32_t;
  typedef std::uint32_t vector __attribute__((vector_size(64)));
  static constexpr int lanes = 16;
  static vector broadcast(element x) { return (vector)_mm512_set1_epi32(x); }
  static vector fma(vector a, vector b, vector c) { return a * b + c; }
  using mask = __mmask16;
  static mask first(int count) { return static_cast<mask>((1u << count) - 1); }
  static vector load_part(const element* p, mask m) {
    return (vector)_mm512_maskz_loadu_epi32(m, p);
  }
  static void store_part(element* p, mask m, vector x) {
    _mm512_mask_storeu_epi32(p, m, (__m512i)x);
  }
  static void stream(element* p, vector x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)x);
  }
  static void fence() { _mm_sfence(); }
};
#endif

// For vpdpbusd, which multiplies unsigned bytes by signed bytes: b is offset by 128 to make it
// unsigned.

typedef std::uint32_t eight_sums __attribute__((vector_size(32)));
typedef std::uint32_t four_sums __attribute__((vector_size(16)));

/// Returns the sum of the lanes.
[[gnu::always_inline]] inline std::uint32_t sum_lanes(eight_sums x) {
  four_sums y =
      __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  y += __builtin_shufflevector(y, y, 2, 3, 0, 1);
  y += __builtin_shufflevector(y, y, 1, 0, 3, 2);
  return y[0];
}

/// Writes -128 times the sum of row i's terms in front of the row, which cancels what b's offset
/// adds to each of its sums, modulo 2^32.
template <class Lanes>
[[gnu::noinline]] void subtract_offset(std::int32_t* a, std::int64_t stride, std::int64_t rows,
                                       std::int64_t terms) {
  const auto offset = Lanes::broadcast(static_cast<std::int32_t>(0x80808080u));
  for (std::int64_t i = 0; i < rows; ++i, a += stride) {
    typename Lanes::vector sums{};
    std::int64_t l = 0;
    for (; l + Lanes::lanes <= terms; l += Lanes::lanes)
      sums = Lanes::dot(load<Lanes>(a + l), offset, sums);
    if (l < terms) {
      const auto rest = Lanes::first(static_cast<int>(terms - l));
      sums = Lanes::dot(Lanes::load_part(a + l, rest), offset, sums);
    }
    a[-1] = static_cast<std::int32_t>(0 - Lanes::total(sums));
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
