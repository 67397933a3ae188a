// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cstdint>

namespace tandem::cuda_impl {

/// Elements of a block of int8_sum_kernel, and the threads that share the parts of each.
inline constexpr int int8_sum_elements = 32;
inline constexpr int int8_sum_threads = 8;

/// Whether elements of c are neighbours along its columns rather than along its rows: so are those
/// of the totals then.
TANDEM_FUNCTION constexpr bool int8_columns(
    const matmul_arguments<std::int32_t, std::int8_t>& problem) {
  return problem.c_row == 1 && problem.c_column != 1;
}

/// The sums of the parts of k, added modulo 2^32 in whatever order suits, and finished.
///
/// @param totals those of part 0 as contiguous batch x m x n matrices (batch x n x m where
///               int8_columns), then those of part 1, ..
/// Of `problem` only the extents, c and finish are used. A warp an eighth of the parts: with few
/// elements and many parts one thread's loads would be one latency after the other.
__global__ void __launch_bounds__(int8_sum_elements* int8_sum_threads)
    int8_sum_kernel(const __grid_constant__ matmul_arguments<std::int32_t, std::int8_t> problem,
                    const std::int32_t* totals, index_t batch, index_t parts) {
  ptx::grid_dependency_wait();
  __shared__ std::uint32_t sums[int8_sum_threads][int8_sum_elements];
  const unsigned lane = threadIdx.x % int8_sum_elements;
  const unsigned group = threadIdx.x / int8_sum_elements;
  const index_t matrix = problem.m * problem.n;
  const index_t elements = batch * matrix;
  const index_t element = static_cast<index_t>(blockIdx.x) * int8_sum_elements + lane;
  std::uint32_t sum = 0;
  if (element < elements) {
#pragma unroll 8
    for (index_t part = group; part < parts; part += int8_sum_threads)
      sum += static_cast<std::uint32_t>(totals[part * elements + element]);
  }
  sums[group][lane] = sum;
  __syncthreads();
  if (group != 0 || element >= elements) return;
#pragma unroll
  for (int i = 1; i < int8_sum_threads; ++i) sum += sums[i][lane];
  const index_t inside = element % matrix;
  const bool columns = int8_columns(problem);
  const index_t row = columns ? inside % problem.m : inside / problem.n;
  const index_t column = columns ? inside / problem.m : inside % problem.n;
  store_element(problem.finish, static_cast<std::int32_t>(sum), row, column,
                problem.c + element / matrix * problem.c_batch + row * problem.c_row +
                    column * problem.c_column);
}

}  // namespace tandem::cuda_impl
