// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3; runs only on CPUs that have it (openmp.cmake).
#include <tandem/backends/openmp/matmul/kernels/block.hpp>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// The type of __m256i without its attributes, which a template argument would drop with a warning.
typedef long long integer_vector __attribute__((vector_size(32)));

struct lanes_f32 {
  using element = float;
  typedef float vector __attribute__((vector_size(32)));
  static constexpr int lanes = 8;
  static vector broadcast(float x) { return _mm256_set1_ps(x); }
  static vector fma(vector a, vector b, vector c) { return _mm256_fmadd_ps(a, b, c); }
  using mask = integer_vector;
  static mask first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static vector load_part(const float* p, mask m) { return _mm256_maskload_ps(p, m); }
  static void store_part(float* p, mask m, vector x) { _mm256_maskstore_ps(p, m, x); }
  static void stream(float* p, vector x) { _mm256_stream_ps(p, x); }
  static void fence() { _mm_sfence(); }
};

struct lanes_f64 {
  using element = double;
  typedef double vector __attribute__((vector_size(32)));
  static constexpr int lanes = 4;
  static vector broadcast(double x) { return _mm256_set1_pd(x); }
  static vector fma(vector a, vector b, vector c) { return _mm256_fmadd_pd(a, b, c); }
  using mask = integer_vector;
  static mask first(int count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static vector load_part(const double* p, mask m) { return _mm256_maskload_pd(p, m); }
  static void store_part(double* p, mask m, vector x) { _mm256_maskstore_pd(p, m, x); }
  static void stream(double* p, vector x) { _mm256_stream_pd(p, x); }
  static void fence() { _mm_sfence(); }
};

// 12 accumulators, 2 vectors of b and one of a, of 16 registers; 10 would cover the latency of two
// FMA units.
constexpr int tile_rows = 6;
constexpr int tile_vectors = 2;

}  // namespace

template <>
constinit const matmul_kernels<float> matmul_kernels<float>::avx2 =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors>("avx2");
template <>
constinit const matmul_kernels<double> matmul_kernels<double>::avx2 =
    make_matmul_kernels<lanes_f64, tile_rows, tile_vectors>("avx2");
template <>
constinit const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::avx2 =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors, from_bf16>("avx2");
template <>
constinit const matmul_kernels<float, half> matmul_kernels<float, half>::avx2 =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors, from_half>("avx2");

}  // namespace tandem::openmp_impl
