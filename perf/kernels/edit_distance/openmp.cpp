// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/edit_distance/kernel.hpp>

namespace perf::edit_distance_openmp {

/// Computes anti-diagonal k, divided among the threads of the caller's parallel region.
void diagonal(const edit_distance<openmp>& kernel, const int* __restrict before,
              const int* __restrict twice_before, int* __restrict out, int k) {
  const signed char* const a = kernel.a.data_handle();
  const signed char* const b = kernel.b.data_handle();
  const int shift = kernel.n - k;
  const int first = std::max(0, k - kernel.n);
  const int last = std::min(k, kernel.n);
#pragma omp for simd schedule(static)
  for (int i = first; i <= last; ++i)
    out[i + 1] = edited(before[i], before[i + 1], twice_before[i], a[i] != b[shift + i]);
}

/// One team for all diagonals, with a barrier after each.
void by_hand(edit_distance<openmp>& kernel) {
  int* const diagonals = kernel.diagonals.data_handle();
  const std::ptrdiff_t pitch = kernel.n + 2;
  std::fill(diagonals, diagonals + 3 * pitch, no_distance);
  diagonals[1] = 0;
  const int diagonals_in_all = 2 * kernel.n;
#pragma omp parallel
  for (int k = 1; k <= diagonals_in_all; ++k) {
    diagonal(kernel, diagonals + (k - 1) % 3 * pitch, diagonals + (k + 1) % 3 * pitch,
             diagonals + k % 3 * pitch, k);
  }
}

const registration cpu(list_kernel<openmp, edit_distance<openmp>, by_hand>);

}  // namespace perf::edit_distance_openmp
