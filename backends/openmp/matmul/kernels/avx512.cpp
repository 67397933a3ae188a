// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 -mprefer-vector-width=512; runs only on CPUs that have it
// (openmp.cmake).
#include <tandem/backends/openmp/matmul/kernels/block.hpp>
#include <tandem/backends/openmp/matmul/kernels/lanes_avx512.hpp>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

struct lanes_f64 {
  using element = double;
  typedef double vector __attribute__((vector_size(64)));
  static constexpr int lanes = 8;
  static vector broadcast(double x) { return _mm512_set1_pd(x); }
  static vector fma(vector a, vector b, vector c) { return _mm512_fmadd_pd(a, b, c); }
  using mask = __mmask8;
  static mask first(int count) { return static_cast<mask>((1u << count) - 1); }
  static vector load_part(const double* p, mask m) { return _mm512_maskz_loadu_pd(m, p); }
  static void store_part(double* p, mask m, vector x) { _mm512_mask_storeu_pd(p, m, x); }
  static void stream(double* p, vector x) { _mm512_stream_pd(p, x); }
  static void fence() { _mm_sfence(); }
};

// 24 accumulators, 3 vectors of b and one of a, of 32 registers. Eight rows, not fourteen of two
// vectors: rows of c that are a power of two apart then fit an 8-way cache.
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;

}  // namespace

template <>
constinit const matmul_kernels<float> matmul_kernels<float>::avx512 =
    make_matmul_kernels<sixteen_float_lanes, tile_rows, tile_vectors>("avx512");
template <>
constinit const matmul_kernels<double> matmul_kernels<double>::avx512 =
    make_matmul_kernels<lanes_f64, tile_rows, tile_vectors>("avx512");
template <>
constinit const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::avx512 =
    make_matmul_kernels<sixteen_float_lanes, tile_rows, tile_vectors, from_bf16>("avx512");
template <>
constinit const matmul_kernels<float, half> matmul_kernels<float, half>::avx512 =
    make_matmul_kernels<sixteen_float_lanes, tile_rows, tile_vectors, from_half>("avx512");

}  // namespace tandem::openmp_impl
