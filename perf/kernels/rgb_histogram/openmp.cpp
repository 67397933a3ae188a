// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/rgb_histogram/kernel.hpp>

namespace perf::rgb_histogram_openmp {

/// Each thread counts in private counters, which the reduction clause of an array provides.
void count_by_hand(rgb_histogram<openmp>& kernel) {
  const std::uint8_t* const bytes = kernel.bytes.data_handle();
  const index_t pixels = kernel.bytes.size() / colours;
  int counts[rgb_counters] = {};
#pragma omp parallel for schedule(static) reduction(+ : counts)
  for (index_t i = 0; i < pixels; ++i) {
    ++counts[bytes[3 * i]];
    ++counts[256 + bytes[3 * i + 1]];
    ++counts[512 + bytes[3 * i + 2]];
  }
  std::copy(counts, counts + rgb_counters, kernel.counts.data_handle());
}

const registration all(list_kernel<openmp, rgb_histogram<openmp>, count_by_hand>);

}  // namespace perf::rgb_histogram_openmp
