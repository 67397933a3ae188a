// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/epilogue.hpp>

#include <tandem/core/math.hpp>
#include <tandem/core/numbers/gelu.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// These loops call inline functions of the core, which a file for one instruction set must not do
// (cpu/instruction_set.hpp). So the functions choose the instruction set by an attribute, and each
// is flattened: inlined code is compiled for it, and a shared copy of an inline function is not.
namespace tandem::openmp_impl {
namespace {

template <class T>
[[gnu::always_inline]] inline void gelu_each(T* x, index_t count, index_t stride) {
  if (stride == 1) {
    for (index_t i = 0; i < count; ++i) x[i] = gelu(x[i]);
  } else {
    for (index_t i = 0; i < count; ++i) x[i * stride] = gelu(x[i * stride]);
  }
}

/// Rounds by T's own conversion, which compilers may vectorise.
template <class T>
struct by_conversion {
  [[gnu::always_inline]] static void round(const float* totals, index_t count, float alpha, T* c) {
    for (index_t i = 0; i < count; ++i) c[i] = T(alpha * totals[i]);
  }
};

/// Way  round(totals, count, alpha, c) for contiguous elements
template <class Way, class T>
[[gnu::always_inline]] inline void round_rows(const matmul_rounding& r, const float* totals, T* c) {
  for (index_t i = 0; i < r.rows; ++i, totals += r.columns, c += r.c_row) {
    if (r.beta == 0 && r.c_column == 1) {
      Way::round(totals, r.columns, r.alpha, c);
    } else if (r.beta == 0) {
      for (index_t j = 0; j < r.columns; ++j) c[j * r.c_column] = T(r.alpha * totals[j]);
    } else {
      for (index_t j = 0; j < r.columns; ++j) {
        T& x = c[j * r.c_column];
        x = T(tandem::fma(r.beta, float{x}, r.alpha * totals[j]));
      }
    }
  }
}

template <class T>
void gelu_baseline(T* x, index_t count, index_t stride) {
  gelu_each(x, count, stride);
}

template <class T>
void round_baseline(const matmul_rounding& r, const float* totals, T* c) {
  round_rows<by_conversion<T>>(r, totals, c);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma"), gnu::flatten]] void gelu_avx2(T* x, index_t count, index_t stride) {
  gelu_each(x, count, stride);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma"), gnu::flatten]] void gelu_avx512(T* x, index_t count,
                                                                                index_t stride) {
  gelu_each(x, count, stride);
}

/// Rounds sixteen floats to half. The instruction keeps a NaN's payload; the conversion does not.
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] inline __m256i rounded(__m512 x,
                                                                                 const half*) {
  const __m256i nearest =
      _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __mmask16 isnan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m256i sign = _mm256_and_si256(nearest, _mm256_set1_epi16(-0x8000));
  return _mm256_mask_blend_epi16(isnan, nearest, _mm256_or_si256(sign, _mm256_set1_epi16(0x7e00)));
}

/// Rounds sixteen floats to bf16 in words of 32 bits; compilers would choose narrower vectors.
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] inline __m256i rounded(__m512 x,
                                                                                 const bf16*) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd =
      _mm512_and_si512(_mm512_maskz_srli_epi32(0xffff, bits, 16), _mm512_set1_epi32(1));
  const __m512i nearest = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  const __mmask16 isnan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512i result = _mm512_mask_or_epi32(nearest, isnan, bits, _mm512_set1_epi32(0x400000));
  return _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_maskz_srli_epi32(0xffff, result, 16));
}

template <class T>
struct by_avx512 {
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void round(const float* totals,
                                                                              index_t count,
                                                                              float alpha, T* c) {
    const __m512 scale = _mm512_set1_ps(alpha);
    index_t i = 0;
    for (; i + 16 <= count; i += 16) {
      const __m512 x = _mm512_mul_ps(scale, _mm512_loadu_ps(totals + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + i), rounded(x, c));
    }
    for (; i < count; ++i) c[i] = T(alpha * totals[i]);
  }
};

template <class T>
[[gnu::target("avx2,fma"), gnu::flatten]] void round_avx2(const matmul_rounding& r,
                                                          const float* totals, T* c) {
  round_rows<by_conversion<T>>(r, totals, c);
}

template <class T>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma"), gnu::flatten]] void round_avx512(
    const matmul_rounding& r, const float* totals, T* c) {
  round_rows<by_avx512<T>>(r, totals, c);
}
#endif

}  // namespace

constinit const epilogue_kernels epilogue_kernels::baseline = {.gelu_f32 = gelu_baseline<float>,
                                                               .gelu_f64 = gelu_baseline<double>,
                                                               .round_bf16 = round_baseline<bf16>,
                                                               .round_half = round_baseline<half>};
#if defined(__x86_64__)
constinit const epilogue_kernels epilogue_kernels::avx2 = {.gelu_f32 = gelu_avx2<float>,
                                                           .gelu_f64 = gelu_avx2<double>,
                                                           .round_bf16 = round_avx2<bf16>,
                                                           .round_half = round_avx2<half>};
constinit const epilogue_kernels epilogue_kernels::avx512 = {.gelu_f32 = gelu_avx512<float>,
                                                             .gelu_f64 = gelu_avx512<double>,
                                                             .round_bf16 = round_avx512<bf16>,
                                                             .round_half = round_avx512<half>};
#endif

}  // namespace tandem::openmp_impl
