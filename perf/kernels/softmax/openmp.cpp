// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/softmax/kernel.hpp>

namespace perf::softmax_openmp {

void softmax_by_hand(softmax<openmp>& kernel) {
  const float* const x = kernel.x.data_handle();
  float* const y = kernel.y.data_handle();
  const index_t rows = kernel.x.extent(0);
  const auto n = static_cast<int>(kernel.x.extent(1));
#pragma omp parallel for schedule(static)
  for (index_t j = 0; j < rows; ++j) {
    const float* const in = x + j * n;
    float* const out = y + j * n;
    float largest = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : largest)
    for (int i = 0; i < n; ++i) largest = in[i] > largest ? in[i] : largest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      out[i] = tandem::exp(in[i] - largest);
      sum += out[i];
    }
    const float scale = 1.0f / sum;
#pragma omp simd
    for (int i = 0; i < n; ++i) out[i] *= scale;
  }
}

const registration all(list_kernel<openmp, softmax<openmp>, softmax_by_hand>);

}  // namespace perf::softmax_openmp
