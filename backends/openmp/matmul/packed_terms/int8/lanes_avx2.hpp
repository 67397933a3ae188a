// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/int8/make_table.hpp>

// Nothing where AVX2 is not compiled for: functions could not take or return such vectors.
#if defined(__AVX2__)

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// The vector that __m256i is, without the attributes that a template argument would lose with a
/// warning.
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

}  // namespace
}  // namespace tandem::openmp_impl

#endif
