// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/pipeline.cuh>

namespace tandem::cuda_impl {

/// Multiplies with fused multiply-adds: each element of c is a chain of FFMA or DFMA in ascending
/// k.
///
/// A thread's elements are 16-byte runs along n. The lanes of a warp interleave rows and columns,
/// so that an operand load is 16 bytes per lane from consecutive addresses.
template <class T, matmul_tile Tile, matmul_order Order>
class simt_engine {
  static constexpr int lanes_m = Tile.lanes_m;
  static constexpr int lanes_n = 32 / lanes_m;
  static constexpr int rows = Tile.m / Tile.warps_m / lanes_m;  // per thread
  static constexpr int columns = Tile.n / Tile.warps_n / lanes_n;
  static constexpr int height = rows % 4 == 0 ? 4 : rows;  // rows of a that are read together
  static_assert(lanes_m == 4 || lanes_m == 8);

  struct alignas(height * sizeof(T)) part {
    T value[static_cast<unsigned>(height)];
  };

 public:
  static constexpr int width = aligned_vector<T>::width;
  static constexpr int k_step = Tile.k_step;
  static constexpr int runs = rows * columns / width;
  static_assert(columns % width == 0);

  T accumulator[static_cast<unsigned>(runs)][static_cast<unsigned>(width)] = {};

  __device__ __forceinline__ explicit simt_engine(int thread) {
    // Lanes that differ in bit 0 read the same part of a, and lanes that differ in bit 1 the same
    // part of b. The hardware then needs fewer than four phases for a warp's 16-byte load from
    // shared memory.
    const int lane = thread % 32;
    const int lane_m =
        lanes_m == 8 ? (lane / 2 % 4) | (lane / 16 * 4) : (lane / 2 % 2) | (lane / 16 * 2);
    const int lane_n = lanes_m == 8 ? lane % 2 | (lane / 8 % 2 * 2) : lane % 2 | (lane / 4 % 4 * 2);
    row_ = thread / 32 / Tile.warps_n * (Tile.m / Tile.warps_m) + lane_m * height;
    column_ = thread / 32 % Tile.warps_n * (Tile.n / Tile.warps_n) + lane_n * width;
  }

  /// First row and column of this thread's elements in the tile, and a run's offset from them.
  __device__ __forceinline__ int row() const { return row_; }
  __device__ __forceinline__ int column() const { return column_; }
  __device__ __forceinline__ static constexpr int row_offset(int run) {
    const int i = run / (columns / width);
    return i / height * (lanes_m * height) + i % height;
  }
  __device__ __forceinline__ static constexpr int column_offset(int run) {
    return run % (columns / width) * (lanes_n * width);
  }

  __device__ __forceinline__ void load(int buffer, const T* a, const T* b, int term) {
#pragma unroll
    for (int t = 0; t < k_step; ++t) {
      const T* const rows_of_a = a + (term + t) * Tile.a_pitch() + row_;
      const T* const columns_of_b = b + (term + t) * Tile.b_pitch() + column_;
#pragma unroll
      for (int i = 0; i < rows / height; ++i)
        a_[buffer][t][i] = *reinterpret_cast<const part*>(rows_of_a + i * lanes_m * height);
#pragma unroll
      for (int j = 0; j < columns / width; ++j) {
        b_[buffer][t][j] =
            *reinterpret_cast<const aligned_vector<T>*>(columns_of_b + j * lanes_n * width);
      }
    }
  }

  /// Multiplies all elements in the order of the template argument; rows and columns are traversed
  /// back and forth. ptxas reschedules, but this order, among much else, determines which operands
  /// it finds in its register cache and which share a register bank; see docs/matmul.md.
  __device__ __forceinline__ void multiply(int buffer) {
#pragma unroll
    for (int t = 0; t < k_step; ++t) {
#pragma unroll
      for (int number = 0; number < rows * columns; ++number) {
        const element_place at = place(number);
        multiply_element(buffer, t, at.i, at.j);
      }
    }
  }

 private:
  struct element_place {
    int i;
    int j;
  };
  __device__ __forceinline__ static constexpr int to_and_fro(int line, int step, int length) {
    return line % 2 == 0 ? step : length - 1 - step;
  }
  /// The element that is multiplied in position `number`.
  __device__ __forceinline__ static constexpr element_place place(int number) {
    if constexpr (Order == matmul_order::rows) {
      const int i = number / columns;
      return {i, to_and_fro(i, number % columns, columns)};
    } else if constexpr (Order == matmul_order::columns) {
      const int j = number / rows;
      return {to_and_fro(j, number % rows, rows), j};
    } else {
      const int pair = number / (2 * rows);
      const int square = to_and_fro(pair, number % (2 * rows) / 4, rows / 2);
      const int corner = number % 4;  // around the square: neighbours share a row or column
      return {2 * square + (corner == 1 || corner == 2 ? 1 : 0), 2 * pair + (corner >= 2 ? 1 : 0)};
    }
  }

  __device__ __forceinline__ void multiply_element(int buffer, int t, int i, int j) {
    T& element = accumulator[i * (columns / width) + j / width][j % width];
    element = tandem::fma(a_[buffer][t][i / height].value[i % height],
                          b_[buffer][t][j / width].value[j % width], element);
  }

  int row_;
  int column_;
  part a_[2][static_cast<unsigned>(k_step)][static_cast<unsigned>(rows / height)];
  aligned_vector<T> b_[2][static_cast<unsigned>(k_step)][static_cast<unsigned>(columns / width)];
};

}  // namespace tandem::cuda_impl
