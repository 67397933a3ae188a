// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/matmul_instance.hpp>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

struct lanes_f32 {
  using element = float;
  typedef float vector __attribute__((vector_size(32)));
  static constexpr int lanes = 8;
  static vector broadcast(float x) { return _mm256_set1_ps(x); }
  static vector fma(vector a, vector b, vector c) { return _mm256_fmadd_ps(a, b, c); }
};

struct lanes_f64 {
  using element = double;
  typedef double vector __attribute__((vector_size(32)));
  static constexpr int lanes = 4;
  static vector broadcast(double x) { return _mm256_set1_pd(x); }
  static vector fma(vector a, vector b, vector c) { return _mm256_fmadd_pd(a, b, c); }
};

// 12 accumulators, 2 vectors of b and one of a, of 16 registers; 10 would cover the latency of two
// FMA units.
constexpr int rows = 6;
constexpr int vectors = 2;

}  // namespace

constinit const matmul_kernels<float> matmul_avx2_f32 =
    make_matmul_kernels<lanes_f32, rows, vectors>("avx2");
constinit const matmul_kernels<double> matmul_avx2_f64 =
    make_matmul_kernels<lanes_f64, rows, vectors>("avx2");

}  // namespace tandem::openmp_impl
