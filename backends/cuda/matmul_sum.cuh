// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_arguments.cuh>

namespace tandem::cuda_impl {

/// Threads of a block of matmul_sum_kernel.
inline constexpr int matmul_sum_threads = 256;

/// c = alpha * (totals of the parts of k, added in ascending order) + beta * c.
///
/// @param parts  number of totals of each element
/// @param totals those of part 0 as contiguous batch x m x n matrices, then those of part 1, ..
/// Of `problem` only the extents, c, alpha and beta are used. One element a thread.
template <class T>
__global__ void __launch_bounds__(matmul_sum_threads)
    matmul_sum_kernel(const __grid_constant__ matmul_arguments<T> problem, const T* totals,
                      index_t batch, index_t parts) {
  const index_t matrix = problem.m * problem.n;
  const index_t element = static_cast<index_t>(blockIdx.x) * matmul_sum_threads + threadIdx.x;
  if (element >= batch * matrix) return;
  T total = totals[element];
#pragma unroll 8  // loads in flight; the additions stay in order
  for (index_t part = 1; part < parts; ++part) total += totals[part * batch * matrix + element];
  const index_t inside = element % matrix;
  T* const c = problem.c + element / matrix * problem.c_batch + inside / problem.n * problem.c_row +
               inside % problem.n * problem.c_column;
  *c = matmul_result(problem.alpha, total, problem.beta, c);
}

}  // namespace tandem::cuda_impl
