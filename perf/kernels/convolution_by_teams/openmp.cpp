// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/convolution_by_teams/kernel.hpp>

namespace perf::convolution_by_teams_openmp {

void by_hand(convolution<openmp>& kernel) {
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const filter_weights w = kernel.weights;
  const index_t rows = kernel.z.extent(0);
  const index_t n = kernel.z.extent(1);
  const index_t pitch = n + 2 * filter_radius;
#pragma omp parallel for schedule(static)
  for (index_t j = 0; j < rows; ++j) {
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
      const float* const corner = x + j * pitch + i;
      float sum = 0;
#pragma GCC unroll 5
      for (int b = 0; b < filter_side; ++b) {
#pragma GCC unroll 5
        for (int a = 0; a < filter_side; ++a) sum += w.at[b][a] * corner[b * pitch + a];
      }
      z[j * n + i] = sum;
    }
  }
}

const registration cpu(list_kernel<openmp, convolution<openmp>, by_hand>);

}  // namespace perf::convolution_by_teams_openmp
