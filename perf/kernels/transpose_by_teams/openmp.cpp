// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/transpose_by_teams/kernel.hpp>

namespace perf::transpose_by_teams_openmp {

/// Transposes tiles whose rows and columns both fit an L1. Walks along the rows of x, which the
/// processor prefetches, and writes rows of z.
void by_hand(transpose<openmp>& kernel) {
  constexpr index_t side = 32;
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const index_t rows = kernel.x.extent(0);
  const index_t n = kernel.x.extent(1);
#pragma omp parallel for collapse(2) schedule(static)
  for (index_t top = 0; top < rows; top += side) {
    for (index_t left = 0; left < n; left += side) {
      for (index_t i = left; i < left + side; ++i) {
#pragma omp simd
        for (index_t j = top; j < top + side; ++j) z[i * rows + j] = x[j * n + i];
      }
    }
  }
}

const registration cpu(list_kernel<openmp, transpose<openmp>, by_hand>);

}  // namespace perf::transpose_by_teams_openmp
