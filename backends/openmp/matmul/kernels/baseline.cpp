// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For any CPU. If the target has no fused multiply-add, the compiler calls the C library's fma:
// slow, but the same bits.
#include <tandem/backends/openmp/matmul/kernels/block.hpp>

namespace tandem::openmp_impl {
namespace {

/// Fuses lane by lane; compilers emit one vector instruction if there is one (fmla of AArch64).
template <class Vector, int Lanes>
[[gnu::always_inline]] inline Vector fma_lanes(Vector a, Vector b, Vector c) {
#pragma GCC unroll 4
  for (int lane = 0; lane < Lanes; ++lane) c[lane] = fused(a[lane], b[lane], c[lane]);
  return c;
}

template <class Vector, int Lanes, class T>
[[gnu::always_inline]] inline Vector broadcast_lanes(T x) {
  Vector result;
#pragma GCC unroll 4
  for (int lane = 0; lane < Lanes; ++lane) result[lane] = x;
  return result;
}

/// Loads the first `count` lanes of a vector, one by one.
template <class Vector, int Lanes, class T>
[[gnu::always_inline]] inline Vector load_lanes(const T* p, int count) {
  Vector result{};
#pragma GCC unroll 4
  for (int lane = 0; lane < Lanes; ++lane) {
    if (lane < count) result[lane] = p[lane];
  }
  return result;
}

template <class Vector, int Lanes, class T>
[[gnu::always_inline]] inline void store_lanes(T* p, int count, Vector x) {
#pragma GCC unroll 4
  for (int lane = 0; lane < Lanes; ++lane) {
    if (lane < count) p[lane] = x[lane];
  }
}

struct lanes_f32 {
  using element = float;
  typedef float vector __attribute__((vector_size(16)));
  static constexpr int lanes = 4;
  static vector broadcast(float x) { return broadcast_lanes<vector, lanes>(x); }
  static vector fma(vector a, vector b, vector c) { return fma_lanes<vector, lanes>(a, b, c); }
  using mask = int;
  static mask first(int count) { return count; }
  static vector load_part(const float* p, mask m) { return load_lanes<vector, lanes>(p, m); }
  static void store_part(float* p, mask m, vector x) { store_lanes<vector, lanes>(p, m, x); }
  static void stream(float* p, vector x) { __builtin_memcpy(p, &x, sizeof x); }
  static void fence() {}
};

struct lanes_f64 {
  using element = double;
  typedef double vector __attribute__((vector_size(16)));
  static constexpr int lanes = 2;
  static vector broadcast(double x) { return broadcast_lanes<vector, lanes>(x); }
  static vector fma(vector a, vector b, vector c) { return fma_lanes<vector, lanes>(a, b, c); }
  using mask = int;
  static mask first(int count) { return count; }
  static vector load_part(const double* p, mask m) { return load_lanes<vector, lanes>(p, m); }
  static void store_part(double* p, mask m, vector x) { store_lanes<vector, lanes>(p, m, x); }
  static void stream(double* p, vector x) { __builtin_memcpy(p, &x, sizeof x); }
  static void fence() {}
};

// 24 accumulators of the 32 registers that AArch64 has.
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;

}  // namespace

template <>
constinit const matmul_kernels<float> matmul_kernels<float>::baseline =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors>("baseline");
template <>
constinit const matmul_kernels<double> matmul_kernels<double>::baseline =
    make_matmul_kernels<lanes_f64, tile_rows, tile_vectors>("baseline");
template <>
constinit const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::baseline =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors, from_bf16>("baseline");
template <>
constinit const matmul_kernels<float, half> matmul_kernels<float, half>::baseline =
    make_matmul_kernels<lanes_f32, tile_rows, tile_vectors, from_half>("baseline");

}  // namespace tandem::openmp_impl
