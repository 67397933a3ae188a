// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/edit_distance/kernel.hpp>

namespace perf {

namespace {

using tandem::openmp;

/// One team for all diagonals, with a barrier after each.
void by_hand(edit_distance<openmp>& kernel) {
  kernel.start(openmp());
  const signed char* const a = kernel.a.data_handle();
  const signed char* const b = kernel.b.data_handle();
  int* const diagonals = kernel.diagonals.data_handle();
  const int n = kernel.n;
  const std::ptrdiff_t pitch = n + 2;
#pragma omp parallel
  for (int k = 1; k <= 2 * n; ++k) {
    const int* __restrict const before = diagonals + (k - 1) % 3 * pitch;
    const int* __restrict const twice_before = diagonals + (k + 1) % 3 * pitch;
    int* __restrict const out = diagonals + k % 3 * pitch;
    const int last = std::min(k, n);
#pragma omp for simd schedule(static)
    for (int i = std::max(0, k - n); i <= last; ++i)
      out[i + 1] = edited(before[i], before[i + 1], twice_before[i], a[i] != b[n - k + i]);
  }
}

const registration cpu(list_kernel<openmp, edit_distance<openmp>, by_hand>);

}  // namespace

}  // namespace perf
