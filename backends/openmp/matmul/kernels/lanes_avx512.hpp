// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Empty unless AVX-512 is compiled for: functions could not take or return such vectors.
#if defined(__AVX512F__)

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// Sixteen floats: the Lanes of lanes.hpp for AVX-512.
struct sixteen_float_lanes {
  using element = float;
  typedef float vector __attribute__((vector_size(64)));
  static constexpr int lanes = 16;
  static vector broadcast(float x) { return _mm512_set1_ps(x); }
  static vector fma(vector a, vector b, vector c) { return _mm512_fmadd_ps(a, b, c); }
  using mask = __mmask16;
  static mask first(int count) { return static_cast<mask>((1u << count) - 1); }
  static vector load_part(const float* p, mask m) { return _mm512_maskz_loadu_ps(m, p); }
  static void store_part(float* p, mask m, vector x) { _mm512_mask_storeu_ps(p, m, x); }
  static void stream(float* p, vector x) { _mm512_stream_ps(p, x); }
  static void fence() { _mm_sfence(); }
};

}  // namespace
}  // namespace tandem::openmp_impl

#endif
