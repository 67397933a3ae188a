// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/layer_norm/kernel.hpp>

namespace perf::layer_norm_openmp {

void normalise_by_hand(layer_norm<openmp>& kernel) {
  const float* const x = kernel.x.data_handle();
  const float* const gain = kernel.gain.data_handle();
  const float* const bias = kernel.bias.data_handle();
  float* const y = kernel.y.data_handle();
  const index_t rows = kernel.x.extent(0);
  const auto n = static_cast<int>(kernel.x.extent(1));
#pragma omp parallel for schedule(static)
  for (index_t j = 0; j < rows; ++j) {
    const float* const in = x + j * n;
    float* const out = y + j * n;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += in[i];
    const float mean = sum / static_cast<float>(n);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int i = 0; i < n; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const float variance = squares / static_cast<float>(n);
    const float scale = 1.0f / tandem::sqrt(variance + norm_epsilon);
#pragma omp simd
    for (int i = 0; i < n; ++i) out[i] = (in[i] - mean) * scale * gain[i] + bias[i];
  }
}

const registration all(list_kernel<openmp, layer_norm<openmp>, normalise_by_hand>);

}  // namespace perf::layer_norm_openmp
