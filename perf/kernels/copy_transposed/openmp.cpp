// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/copy_transposed/kernel.hpp>

#include <algorithm>

namespace perf::copy_transposed_openmp {

/// Copies tiles whose rows and columns both fit an L1. Walks along the rows of x, which the
/// processor prefetches, and writes rows of z.
void by_hand(copy_transposed<openmp>& kernel) {
  constexpr index_t side = 32;
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const index_t rows = kernel.rows;
  const index_t planes = kernel.planes;
  const index_t columns = kernel.columns;
#pragma omp parallel for collapse(3) schedule(static)
  for (index_t plane = 0; plane < planes; ++plane) {
    for (index_t top = 0; top < rows; top += side) {
      for (index_t left = 0; left < columns; left += side) {
        const index_t bottom = std::min(top + side, rows);
        for (index_t i = left; i < std::min(left + side, columns); ++i) {
#pragma omp simd
          for (index_t j = top; j < bottom; ++j)
            z[(i * planes + plane) * rows + j] = x[(j * planes + plane) * columns + i];
        }
      }
    }
  }
}

const registration cpu(list_kernel<openmp, copy_transposed<openmp>, by_hand>);

}  // namespace perf::copy_transposed_openmp
