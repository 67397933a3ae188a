// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

namespace tandem::cuda_impl {

/// Threads of a block of matmul_sum_kernel: few, since its elements are few, and more
/// multiprocessors wait for memory at the same time.
inline constexpr int matmul_sum_threads = 64;

/// Blocks of it that share a multiprocessor: leaves 128 registers, half of them for loads.
inline constexpr int matmul_sum_resident = 8;

/// The sum of `parts` totals `stride` elements apart, added in ascending order. `Ahead` of them are
/// on their way from memory at a time.
template <int Ahead, class Sum>
__device__ __forceinline__ Sum sum_totals(const Sum* totals, index_t stride, index_t parts) {
  Sum total = -Sum{0};  // -0 + x == x for every x
  for (index_t part = 0; part < parts; part += Ahead, totals += Ahead * stride) {
    Sum some[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) some[i] = part + i < parts ? totals[i * stride] : -Sum{0};
#pragma unroll
    for (int i = 0; i < Ahead; ++i) total += some[i];
  }
  return total;
}

/// The totals of the parts of k, added in ascending order, and finished.
///
/// @param parts  number of totals of each element
/// @param totals those of part 0 as contiguous batch x m x n matrices, then those of part 1, ..
/// Of `problem` only the extents, c and finish are used. One element a thread.
template <class T, class In, class Sum>
__global__ void __launch_bounds__(matmul_sum_threads, matmul_sum_resident)
    matmul_sum_kernel(const __grid_constant__ matmul_arguments<T, In> problem, const Sum* totals,
                      index_t batch, index_t parts) {
  ptx::grid_dependency_wait();
  const index_t matrix = problem.m * problem.n;
  const index_t element = static_cast<index_t>(blockIdx.x) * matmul_sum_threads + threadIdx.x;
  if (element >= batch * matrix) return;
  constexpr int ahead = 256 / static_cast<int>(sizeof(Sum));  // 64 registers
  const Sum* const first = totals + element;
  const Sum total = parts <= 8 ? sum_totals<8>(first, batch * matrix, parts)
                               : sum_totals<ahead>(first, batch * matrix, parts);
  const index_t inside = element % matrix;
  const index_t row = inside / problem.n;
  const index_t column = inside % problem.n;
  store_element(problem.finish, total, row, column,
                problem.c + element / matrix * problem.c_batch + row * problem.c_row +
                    column * problem.c_column);
}

}  // namespace tandem::cuda_impl
