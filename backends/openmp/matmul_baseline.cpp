// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For any CPU. Where the target has no fused multiply-add the compiler calls the C library's fma: slow, but the same bits.
#include <tandem/backends/openmp/matmul_pack.hpp>
#include <tandem/backends/openmp/matmul_tile.hpp>

namespace tandem::openmp_impl {
namespace {

/// Each lane by itself; compilers make one vector instruction of it where there is one (fmla of AArch64).
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

struct lanes_f32 {
  using element = float;
  typedef float vector __attribute__((vector_size(16)));
  static constexpr int lanes = 4;
  static vector broadcast(float x) { return broadcast_lanes<vector, lanes>(x); }
  static vector fma(vector a, vector b, vector c) { return fma_lanes<vector, lanes>(a, b, c); }
};

struct lanes_f64 {
  using element = double;
  typedef double vector __attribute__((vector_size(16)));
  static constexpr int lanes = 2;
  static vector broadcast(double x) { return broadcast_lanes<vector, lanes>(x); }
  static vector fma(vector a, vector b, vector c) { return fma_lanes<vector, lanes>(a, b, c); }
};

// 24 accumulators of the 32 registers that AArch64 has.
constexpr int rows = 8;
constexpr int vectors = 3;

}  // namespace

const matmul_kernels<float> matmul_baseline_f32 = {"baseline",
                                                   rows,
                                                   vectors * lanes_f32::lanes,
                                                   lanes_f32::lanes,
                                                   multiply_tile<lanes_f32, rows, vectors>,
                                                   pack_panels<float, rows>,
                                                   pack_panels<float, vectors * lanes_f32::lanes>,
                                                   multiply_row<float>};

const matmul_kernels<double> matmul_baseline_f64 = {"baseline",
                                                    rows,
                                                    vectors * lanes_f64::lanes,
                                                    lanes_f64::lanes,
                                                    multiply_tile<lanes_f64, rows, vectors>,
                                                    pack_panels<double, rows>,
                                                    pack_panels<double, vectors * lanes_f64::lanes>,
                                                    multiply_row<double>};

}  // namespace tandem::openmp_impl
