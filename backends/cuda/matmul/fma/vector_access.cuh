// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>

namespace tandem::cuda_impl {

/// 16 bytes that move as one.
template <class T>
struct alignas(16) aligned_vector {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  T value[static_cast<unsigned>(width)];
};

/// A run from `column` on of a row of c, of which `left` elements are inside. Elements outside are
/// not read and hold anything.
template <class T>
__device__ __forceinline__ aligned_vector<T> read_run(const matmul_arguments<T>& problem,
                                                      const T* c, int left) {
  constexpr int width = aligned_vector<T>::width;
  if (problem.vectorized_c && left >= width) return *reinterpret_cast<const aligned_vector<T>*>(c);
  aligned_vector<T> run{};
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (e < left) run.value[e] = c[e * problem.c_column];
  }
  return run;
}

/// Writes a run's elements that are inside c.
template <class T>
__device__ __forceinline__ void write_run(const matmul_arguments<T>& problem, T* c, int left,
                                          const aligned_vector<T>& run) {
  constexpr int width = aligned_vector<T>::width;
  if (problem.vectorized_c && left >= width) {
    *reinterpret_cast<aligned_vector<T>*>(c) = run;
    return;
  }
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (e < left) c[e * problem.c_column] = run.value[e];
  }
}

struct tile_origin {
  int m;
  int n;
};

/// Where a thread's runs are in c: made where it is needed, since what it holds would take
/// registers from the main loop. Rows and columns are counted from the thread's first.
template <class T>
struct run_places {
  T* c;
  index_t row_stride;
  index_t column_stride;
  int rows;  ///< that exist; zero or less for none
  int columns;

  template <class Engine>
  __device__ __forceinline__ run_places(const matmul_arguments<T>& problem, const Engine& engine,
                                        tile_origin origin)
      : run_places(problem, engine, origin, problem.slice_c()) {}

  /// The same for a matrix of c, or of a part's totals, that begins at `first`.
  template <class Engine>
  __device__ __forceinline__ run_places(const matmul_arguments<T>& problem, const Engine& engine,
                                        tile_origin origin, T* first)
      : row_stride(problem.c_row), column_stride(problem.c_column) {
    asm volatile("" : "+l"(row_stride));  // not to be computed before the main loop
    const int row = origin.m + engine.row();
    const int column = origin.n + engine.column();
    rows = static_cast<int>(problem.m) - row;
    columns = static_cast<int>(problem.n) - column;
    c = first + row * row_stride + column * column_stride;
  }

  __device__ __forceinline__ bool hold(int row, int column) const {
    return row < rows && column < columns;
  }
  __device__ __forceinline__ T* at(int row, int column) const {
    return c + row * row_stride + column * column_stride;
  }
  /// A run whose neighbours are contiguous and aligned.
  __device__ __forceinline__ aligned_vector<T>* whole(int row, int column) const {
    return reinterpret_cast<aligned_vector<T>*>(c + row * row_stride + column);
  }
};

}  // namespace tandem::cuda_impl
