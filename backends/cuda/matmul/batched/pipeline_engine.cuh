// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/batched_candidates.hpp>
#include <tandem/core/math.hpp>

namespace tandem::cuda_impl {

/// Fused multiply-adds: rows x runs of 16 bytes along a row in total[][], as the engines of
/// matmul_batched_engines.cuh have them. A lane's rows are 8 apart and its runs 4, so that what a
/// warp reads and writes at a time is dense.
template <class T, panel_tile Tile>
class panel_simt {
 public:
  static constexpr int width = static_cast<int>(vector_width<T>);
  static constexpr int rows = Tile.rows;
  static constexpr int runs = Tile.columns / width;
  static constexpr int row_step = 8;
  static constexpr int column_step = 4 * width;

  __device__ __forceinline__ explicit panel_simt(int thread) {
    // Lanes that differ in bit 0 read the same of a, lanes that differ in bit 1 the same of b: the
    // hardware then serves the four phases of a warp's 16-byte load from shared memory in two.
    const int lane = thread % 32;
    const int warp = thread / 32;
    row_ = warp / Tile.warps_n() * (8 * rows) + (lane / 2 % 4 | lane / 16 * 4);
    column_ = warp % Tile.warps_n() * (4 * Tile.columns) + (lane % 2 | lane / 8 % 2 * 2) * width;
  }

  __device__ __forceinline__ int row(int i) const { return row_ + i * row_step; }
  __device__ __forceinline__ int column(int run) const { return column_ + run * column_step; }

  /// Adds `terms` products, a multiple of `width`, to each element, in ascending k; rows beyond the
  /// last have their places, too. The operands of a term are read while those of the one before it
  /// are multiplied; those after the last are read and not used.
  __device__ __forceinline__ void add_slice(const panel_layout& layout, int, int terms, const T* a,
                                            const T* b) {
    a += row_ * layout.a_pitch;
    b += column_;
    run_type left[rows];
    run_type right[2][runs];
#pragma unroll
    for (int i = 0; i < rows; ++i) left[i] = read(a + i * row_step * layout.a_pitch);
    read_runs(right[0], b);
#pragma unroll 1
    for (int term = 0; term < terms; term += width) {
      a += width;
#pragma unroll
      for (int t = 0; t < width; ++t) {
        b += layout.b_pitch;
        read_runs(right[(t + 1) % 2], b);
#pragma unroll
        for (int i = 0; i < rows; ++i) {
          add_row(i, left[i].value[t], right[t % 2]);
          if (t == width - 1) left[i] = read(a + i * row_step * layout.a_pitch);
        }
      }
    }
  }

  T total[rows][runs][width] = {};

 private:
  struct alignas(16) run_type {
    T value[width];
  };
  __device__ __forceinline__ static run_type read(const T* from) {
    return *reinterpret_cast<const run_type*>(from);
  }
  __device__ __forceinline__ static void read_runs(run_type (&right)[runs], const T* b) {
#pragma unroll
    for (int run = 0; run < runs; ++run) right[run] = read(b + run * column_step);
  }
  /// The columns to and fro, so that ptxas finds operands in its register cache.
  __device__ __forceinline__ void add_row(int i, T left, const run_type (&right)[runs]) {
#pragma unroll
    for (int step = 0; step < runs * width; ++step) {
      const int j = i % 2 == 0 ? step : runs * width - 1 - step;
      T& element = total[i][j / width][j % width];
      element = tandem::fma(left, right[j / width].value[j % width], element);
    }
  }

  int row_;
  int column_;
};

}  // namespace tandem::cuda_impl
