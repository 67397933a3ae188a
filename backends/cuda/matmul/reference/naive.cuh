// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>

namespace tandem::cuda_impl {

/// Columns and rows of c that a block of the naive kernel computes, an element a thread.
inline constexpr int naive_columns = 32;
inline constexpr int naive_rows = 8;

/// One element a thread, every operand read from global memory: the
/// canonical shape in its plainest form on the GPU. Any strides and extents.
template <class T, class In>
__global__ void matmul_naive_kernel(const __grid_constant__ matmul_arguments<T, In> problem) {
  using Sum = tandem::detail::matmul_sum_t<T>;
  const index_t tiles_n = (problem.n + naive_columns - 1) / naive_columns;
  const index_t row = blockIdx.x / tiles_n * naive_rows + threadIdx.y;
  const index_t column = blockIdx.x % tiles_n * naive_columns + threadIdx.x;
  if (row >= problem.m || column >= problem.n) return;

  const In* a = problem.slice_a() + row * problem.a.outer_stride;
  const In* b = problem.slice_b() + column * problem.b.outer_stride;
  Sum total =
      -Sum{0};  // -0 + x == x for every x; +0 would lose the sign of a chain that ends as -0
  index_t k = 0;
  do {
    const index_t end = problem.k - k < matmul_chunk ? problem.k : k + matmul_chunk;
    Sum chain{0};
    for (; k < end; ++k) {
      chain = tandem::detail::multiply_add(static_cast<Sum>(*a), static_cast<Sum>(*b), chain);
      a += problem.a.k_stride;
      b += problem.b.k_stride;
    }
    total += chain;
  } while (k < problem.k);

  store_element(problem.finish, total, row, column,
                problem.slice_c() + row * problem.c_row + column * problem.c_column);
}

}  // namespace tandem::cuda_impl
