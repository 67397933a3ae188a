// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_block.cuh>

namespace tandem::cuda_impl {

/// Multiplies with one fused multiply-add a thread: each element of c is a chain of FFMA or DFMA in
/// ascending k.
///
/// A thread's elements are runs of 16 bytes along n at rows and columns that its warp's lanes take
/// in turns, so that a load of operands is 16 bytes a lane from consecutive addresses.
template <class T, matmul_tile Tile>
class simt_engine {
  static constexpr int lanes_m = Tile.lanes_m;
  static constexpr int lanes_n = 32 / lanes_m;
  static constexpr int rows = Tile.m / Tile.warps_m / lanes_m;  // of a thread
  static constexpr int columns = Tile.n / Tile.warps_n / lanes_n;
  static_assert(lanes_m == 4 || lanes_m == 8);

 public:
  static constexpr int width = matmul_run<T>::width;
  static constexpr int k_step = 1;
  static constexpr int runs = rows * columns / width;
  static_assert(rows % width == 0 && columns % width == 0);

  T accumulator[static_cast<unsigned>(runs)][static_cast<unsigned>(width)] = {};

  __device__ __forceinline__ explicit simt_engine(int thread) {
    // Lanes that differ in bit 0 read the same of a, lanes that differ in bit 1 the same of b: the
    // hardware then serves the four phases of a warp's 16-byte load from shared memory in fewer.
    const int lane = thread % 32;
    const int lane_m =
        lanes_m == 8 ? (lane / 2 % 4) | (lane / 16 * 4) : (lane / 2 % 2) | (lane / 16 * 2);
    const int lane_n = lanes_m == 8 ? lane % 2 | (lane / 8 % 2 * 2) : lane % 2 | (lane / 4 % 4 * 2);
    row_ = thread / 32 / Tile.warps_n * (Tile.m / Tile.warps_m) + lane_m * width;
    column_ = thread / 32 % Tile.warps_n * (Tile.n / Tile.warps_n) + lane_n * width;
  }

  __device__ __forceinline__ int row(int run) const {
    const int i = run / (columns / width);
    return row_ + i / width * (lanes_m * width) + i % width;
  }
  __device__ __forceinline__ int column(int run) const {
    return column_ + run % (columns / width) * (lanes_n * width);
  }

  __device__ __forceinline__ void load(int buffer, const T* a, const T* b) {
#pragma unroll
    for (int i = 0; i < rows / width; ++i) {
      a_[buffer][i] = *reinterpret_cast<const matmul_run<T>*>(a + row_ + i * lanes_m * width);
    }
#pragma unroll
    for (int j = 0; j < columns / width; ++j) {
      b_[buffer][j] = *reinterpret_cast<const matmul_run<T>*>(b + column_ + j * lanes_n * width);
    }
  }

  /// Walks the columns to and fro, so that neighbouring instructions share an operand in the
  /// register cache.
  __device__ __forceinline__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
      for (int step = 0; step < columns; ++step) {
        const int j = i % 2 == 0 ? step : columns - 1 - step;
        T& element = accumulator[i * (columns / width) + j / width][j % width];
        element = tandem::fma(a_[buffer][i / width].value[i % width],
                              b_[buffer][j / width].value[j % width], element);
      }
    }
  }

 private:
  int row_;
  int column_;
  matmul_run<T> a_[2][static_cast<unsigned>(rows / width)];
  matmul_run<T> b_[2][static_cast<unsigned>(columns / width)];
};

}  // namespace tandem::cuda_impl
