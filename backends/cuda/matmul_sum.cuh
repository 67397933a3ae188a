// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_arguments.cuh>
#include <tandem/backends/cuda/ptx.cuh>

namespace tandem::cuda_impl {

/// Threads of a block of matmul_sum_kernel.
inline constexpr int matmul_sum_threads = 256;

/// The totals of the parts of k, added in ascending order, and finished.
///
/// @param parts  number of totals of each element
/// @param totals those of part 0 as contiguous batch x m x n matrices, then those of part 1, ..
/// Of `problem` only the extents, c and finish are used. One element a thread.
template <class T, class In, class Sum>
__global__ void __launch_bounds__(matmul_sum_threads)
    matmul_sum_kernel(const __grid_constant__ matmul_arguments<T, In> problem, const Sum* totals,
                      index_t batch, index_t parts) {
  ptx::wait_for_prior_work();
  ptx::wait_for_prior_work();
  const index_t matrix = problem.m * problem.n;
  const index_t element = static_cast<index_t>(blockIdx.x) * matmul_sum_threads + threadIdx.x;
  if (element >= batch * matrix) return;
  Sum total = -Sum{0};  // -0 + x == x for every x
#pragma unroll 16       // loads in flight; the additions stay in order
  for (index_t part = 0; part < parts; ++part) total += totals[part * batch * matrix + element];
  const index_t inside = element % matrix;
  const index_t row = inside / problem.n;
  const index_t column = inside % problem.n;
  store_element(problem.finish, total, row, column,
                problem.c + element / matrix * problem.c_batch + row * problem.c_row +
                    column * problem.c_column);
}

}  // namespace tandem::cuda_impl
