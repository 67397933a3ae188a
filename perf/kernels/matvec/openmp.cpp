// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/matvec/kernel.hpp>

namespace perf::matvec_openmp {

void multiply_by_hand(matvec<openmp>& kernel) {
  const float* const a = kernel.a.data_handle();
  const float* const x = kernel.x.data_handle();
  float* const y = kernel.y.data_handle();
  const index_t rows = kernel.a.extent(0);
  const auto n = static_cast<int>(kernel.a.extent(1));
#pragma omp parallel for schedule(static)
  for (index_t j = 0; j < rows; ++j) {
    const float* const row = a + j * n;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += row[i] * x[i];
    y[j] = sum;
  }
}

const registration all(list_kernel<openmp, matvec<openmp>, multiply_by_hand>);

}  // namespace perf::matvec_openmp
