// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>

/// How matmul_batched_kernel writes a thread's part of a product.
namespace tandem::cuda_impl {

/// Writes the elements of a 16-byte run at `column` that are inside c.
template <class T, int Width>
__device__ __forceinline__ void store_batched_run(const matmul_arguments<T>& problem, T* c,
                                                  int column, const T (&total)[Width]) {
  using run_type = aligned_vector<T>;
  const int left = static_cast<int>(problem.n) - column;
  if (problem.vectorized_c && left >= Width) {
    run_type run{};
    if (problem.finish.reads_c()) run = *reinterpret_cast<const run_type*>(c);
#pragma unroll
    for (int e = 0; e < Width; ++e)
      run.value[e] = problem.finish(total[e], run.value[e], 0, column + e);
    *reinterpret_cast<run_type*>(c) = run;
    return;
  }
#pragma unroll
  for (int e = 0; e < Width; ++e) {
    if (e < left) store_element(problem.finish, total[e], 0, column + e, c + e * problem.c_column);
  }
}

/// Writes the elements of a thread's part that are inside c, without the epilogue. The part's
/// columns are relative to column `first` of the product.
template <class T, class Part>
__device__ __forceinline__ void store_product(const matmul_arguments<T>& given, const Part& part,
                                              T* c, int first = 0) {
  matmul_arguments<T> problem = given;
  problem.finish = without_epilogue(given.finish);
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
    if (part.row(i) >= problem.m) continue;
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
      const int column = first + part.column(run);
      store_batched_run(problem, c + part.row(i) * problem.c_row + column * problem.c_column,
                        column, part.total[i][run]);
    }
  }
}

/// Applies the epilogue to what store_product has written, starting at the thread's first row and
/// column.
template <class T, class Part>
__device__ __noinline__ void finish_product(const matmul_arguments<T>& problem, int row, int column,
                                            T* c) {
#pragma unroll 1
  for (int i = 0; i < Part::rows; ++i) {
#pragma unroll 1
    for (int e = 0; e < Part::runs * Part::width; ++e) {
      const int r = row + i * Part::row_step;
      const int at = column + e / Part::width * Part::column_step + e % Part::width;
      if (r < problem.m && at < problem.n)
        apply_epilogue(problem.finish, r, at, c + r * problem.c_row + at * problem.c_column);
    }
  }
}

template <class Part>
__device__ __forceinline__ void clear(Part& part) {
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
#pragma unroll
      for (int e = 0; e < Part::width; ++e) part.total[i][run][e] = 0;
    }
  }
}

/// Does what store_product does if rows of c are written 16 bytes at a time and nothing is read,
/// without a branch per element.
template <class T, class Part>
__device__ __forceinline__ void store_vectorized_product(const matmul_arguments<T>& p,
                                                         const Part& part, T* c, int first) {
  using run_type = aligned_vector<T>;
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
    T* const row = c + part.row(i) * p.c_row + first;
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
      run_type finished;
#pragma unroll
      for (int e = 0; e < Part::width; ++e)
        finished.value[e] = p.finish.alpha * part.total[i][run][e];
      if (part.row(i) < static_cast<int>(p.m) && first + part.column(run) < static_cast<int>(p.n))
        *reinterpret_cast<run_type*>(row + part.column(run)) = finished;
    }
  }
}

/// Writes a thread's part of the product at `c`, in a panel that starts at column `first`.
template <class T, class Part>
__device__ __forceinline__ void finish_panel(const matmul_arguments<T>& problem, const Part& part,
                                             T* c, int first) {
  if (problem.vectorized_c && !problem.finish.reads_c()) {
    store_vectorized_product(problem, part, c, first);
  } else {
    store_product(problem, part, c, first);
  }
  if (problem.finish.has_epilogue())
    finish_product<T, Part>(problem, part.row(0), first + part.column(0), c);
}

}  // namespace tandem::cuda_impl
