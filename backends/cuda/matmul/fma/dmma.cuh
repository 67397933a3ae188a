// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/dmma_stage.cuh>
#include <tandem/backends/cuda/matmul/fma/pipeline.cuh>

namespace tandem::cuda_impl {

/// Whether the fp64 tensor cores of the architecture being compiled for are used: sm_80 and sm_90
/// have them at full rate. Every shape of the instruction is exactly the chain of fused
/// multiply-adds in ascending k there, rounded and with subnormals as DFMA does. An architecture is
/// added when the tests have shown as much of it.
TANDEM_FUNCTION constexpr bool has_fp64_tensor_cores() {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  return true;
#else
  return false;
#endif
}

/// above, below += a * b for 16 x 8 doubles and 4 terms, in the fragments of mma_m16n8k4. On sm_80
/// two smaller instructions do the same.
__device__ __forceinline__ void multiply_fragment(double& above0, double& above1, double& below0,
                                                  double& below1, const double (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  ptx::mma_m16n8k4(above0, above1, below0, below1, a[0], a[1], b);
#else
  ptx::mma_m8n8k4(above0, above1, a[0], b);
  ptx::mma_m8n8k4(below0, below1, a[1], b);
#endif
}

/// Multiplies fp64 on the tensor cores. A warp computes fragments of 16 x 8 elements.
///
/// Which row or column of the tile a fragment's is, is free: fragment i takes rows 16 i + 2 r and
/// 16 i + 2 r + 1 as its rows r and r + 8, fragments 2 j and 2 j + 1 take columns 16 j + 2 c and
/// 16 j + 2 c + 1 as their columns c. So a lane's operands are neighbours in memory, read as 16
/// bytes where the outer index is fast, and its 4 elements of a row of c are neighbours too.
template <matmul_tile Tile, bool AKMajor, bool BKMajor>
class tensor_engine {
  static constexpr int fragments_m = Tile.m / Tile.warps_m / 16;
  static constexpr int pairs_n = Tile.n / Tile.warps_n / 16;  // of fragments
  static_assert(fragments_m > 0 && pairs_n > 0);

 public:
  static constexpr int width = 2;
  static constexpr int k_step = 4;
  static constexpr int runs = fragments_m * 2 * pairs_n * 2;

  double accumulator[static_cast<unsigned>(runs)][2] = {};

  __device__ __forceinline__ explicit tensor_engine(int thread)
      : row_(thread / 32 / Tile.warps_n * (Tile.m / Tile.warps_m)),
        column_(thread / 32 % Tile.warps_n * (Tile.n / Tile.warps_n)),
        a_lane_(row_ + thread % 32 / 4 * 2, thread % 4),
        b_lane_(column_ + thread % 32 / 4 * 2, thread % 4) {
    row_ += thread % 32 / 4 * 2;
    column_ += thread % 4 * 4;
  }

  /// First row and column of this thread's elements in the tile, and a run's place from there.
  __device__ __forceinline__ int row() const { return row_; }
  __device__ __forceinline__ int column() const { return column_; }
  __device__ __forceinline__ static constexpr int row_offset(int run) {
    return run / (4 * pairs_n) * 16 + run / (2 * pairs_n) % 2;
  }
  __device__ __forceinline__ static constexpr int column_offset(int run) {
    return run % (2 * pairs_n) / 2 * 16 + run % 2 * 2;
  }

  __device__ __forceinline__ void load(int buffer, const double* a, const double* b, int term) {
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) a_lane_.load(a_[buffer][i], a, i, term);
#pragma unroll
    for (int j = 0; j < pairs_n; ++j) b_lane_.load(b_[buffer][j], b, j, term);
  }

  /// Fragment h of a pair has every other element of the pair's two runs of each row.
  __device__ __forceinline__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) {
#pragma unroll
      for (int j = 0; j < pairs_n; ++j) {
        double(*const above)[2] = &accumulator[i * 4 * pairs_n + j * 2];
        double(*const below)[2] = above + 2 * pairs_n;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          multiply_fragment(above[0][h], above[1][h], below[0][h], below[1][h], a_[buffer][i],
                            b_[buffer][j][h]);
        }
      }
    }
  }

 private:
  int row_;
  int column_;
  dmma_lane<Tile.m, AKMajor> a_lane_;
  dmma_lane<Tile.n, BKMajor> b_lane_;
  double a_[2][static_cast<unsigned>(fragments_m)][2];
  double b_[2][static_cast<unsigned>(pairs_n)][2];
};

}  // namespace tandem::cuda_impl
