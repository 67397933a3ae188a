// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/int8/make_table.hpp>

// Nothing where AVX-512 is not compiled for: functions could not take or return such vectors.
#if defined(__AVX512F__)

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// Sixteen sums of 32 bits: Lanes without `dot`, as eight_int8_lanes.
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

}  // namespace
}  // namespace tandem::openmp_impl

#endif
