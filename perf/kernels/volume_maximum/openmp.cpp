// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/volume_maximum/kernel.hpp>

namespace perf::volume_maximum_openmp {

void by_hand(volume_maximum<openmp>& kernel) {
  const float* const x = kernel.before.data_handle();
  const float* const y = kernel.after.data_handle();
  const index_t lines = kernel.before.extent(0) * kernel.before.extent(1);
  const index_t n = kernel.before.extent(2);
  float largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (index_t line = 0; line < lines; ++line) {
    const float* const from = x + line * n;
    const float* const to = y + line * n;
    float most = 0;
#pragma omp simd reduction(max : most)
    for (index_t i = 0; i < n; ++i) {
      const float change = std::abs(to[i] - from[i]);
      most = change > most ? change : most;
    }
    largest = most > largest ? most : largest;
  }
  kernel.largest.data_handle()[0] = largest;
}

const registration listed(list_kernel<openmp, volume_maximum<openmp>, by_hand>);

}  // namespace perf::volume_maximum_openmp
