// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_block.cuh>

namespace tandem::cuda_impl {

/// Whether the fp64 tensor cores of the architecture being compiled for are used: sm_80 and sm_90
/// have them at full rate. Measured on sm_90: every shape of the instruction is exactly the chain
/// of fused multiply-adds in ascending k, rounded and with subnormals as DFMA does. An architecture
/// is added here when the same has been measured on it.
TANDEM_FUNCTION constexpr bool has_fp64_tensor_cores() {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  return true;
#else
  return false;
#endif
}

/// upper, lower += a * b for 16 x 8 doubles and 8 terms, in the fragments of mma_m16n8k8. On sm_80
/// four smaller instructions do the same in the same order.
__device__ __forceinline__ void multiply_fragments(double (&upper)[2], double (&lower)[2],
                                                   const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  ptx::mma_m16n8k8(upper, lower, a, b);
#else
  ptx::mma_m8n8k4(upper[0], upper[1], a[0], b[0]);
  ptx::mma_m8n8k4(lower[0], lower[1], a[1], b[0]);
  ptx::mma_m8n8k4(upper[0], upper[1], a[2], b[1]);
  ptx::mma_m8n8k4(lower[0], lower[1], a[3], b[1]);
#endif
}

/// Multiplies fp64 on the tensor cores. A warp computes fragments of 16 x 8 elements; lane l holds
/// two neighbouring elements of rows l / 4 and l / 4 + 8 of each.
template <matmul_tile Tile>
class tensor_engine {
  static constexpr int fragments_m = Tile.m / Tile.warps_m / 16;
  static constexpr int fragments_n = Tile.n / Tile.warps_n / 8;

 public:
  static constexpr int width = matmul_run<double>::width;
  static constexpr int k_step = 8;
  static constexpr int runs = fragments_m * fragments_n * 2;

  double accumulator[static_cast<unsigned>(runs)][static_cast<unsigned>(width)] = {};

  __device__ __forceinline__ explicit tensor_engine(int thread)
      : row_(thread / 32 / Tile.warps_n * (Tile.m / Tile.warps_m) + thread % 32 / 4),
        column_(thread / 32 % Tile.warps_n * (Tile.n / Tile.warps_n)),
        quad_(thread % 4) {}

  __device__ __forceinline__ int row(int run) const {
    return row_ + run / 2 / fragments_n * 16 + run % 2 * 8;
  }
  __device__ __forceinline__ int column(int run) const {
    return column_ + run / 2 % fragments_n * 8 + quad_ * 2;
  }

  __device__ __forceinline__ void load(int buffer, const double* a, const double* b) {
    const double* const rows = a + quad_ * Tile.a_pitch() + row_;
    const double* const columns = b + quad_ * Tile.b_pitch() + column_ + row_ % 8;
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // of the 8 terms
#pragma unroll
      for (int i = 0; i < fragments_m; ++i) {
        a_[buffer][i][half * 2] = rows[half * 4 * Tile.a_pitch() + i * 16];
        a_[buffer][i][half * 2 + 1] = rows[half * 4 * Tile.a_pitch() + i * 16 + 8];
      }
#pragma unroll
      for (int j = 0; j < fragments_n; ++j)
        b_[buffer][j][half] = columns[half * 4 * Tile.b_pitch() + j * 8];
    }
  }

  __device__ __forceinline__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) {
#pragma unroll
      for (int j = 0; j < fragments_n; ++j) {
        const int run = (i * fragments_n + j) * 2;
        multiply_fragments(accumulator[run], accumulator[run + 1], a_[buffer][i], b_[buffer][j]);
      }
    }
  }

 private:
  int row_;
  int column_;
  int quad_;
  double a_[2][static_cast<unsigned>(fragments_m)][4];
  double b_[2][static_cast<unsigned>(fragments_n)][2];
};

}  // namespace tandem::cuda_impl
