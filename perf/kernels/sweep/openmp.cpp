// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/sweep/kernel.hpp>

namespace perf::sweep_openmp {

void jacobi_sweep(const double* __restrict u, const double* __restrict f, double* __restrict v,
                  index_t rows, index_t n) {
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < rows - 1; ++j) {
    const double* const row = u + j * n;
    const double* const right = f + j * n;
    double* const out = v + j * n;
#pragma omp simd
    for (index_t i = 1; i < n - 1; ++i)
      out[i] = 0.25 * (row[i - n] + row[i + n] + row[i - 1] + row[i + 1] + right[i]);
  }
}

void jacobi_by_hand(jacobi<openmp>& kernel) {
  double* const u = kernel.u.data_handle();
  double* const v = kernel.v.data_handle();
  const double* const f = kernel.f.data_handle();
  jacobi_sweep(u, f, v, kernel.u.extent(0), kernel.u.extent(1));
  jacobi_sweep(v, f, u, kernel.u.extent(0), kernel.u.extent(1));
}

/// One sweep over the elements of a colour, whose neighbours are all of the other.
void coloured_sweep(float* u, const float* __restrict f, index_t rows, index_t n, index_t colour) {
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < rows - 1; ++j) {
    const index_t first = j * n + 1 + ((j + colour) & 1);
    float* const at = u + first;
    const float* const right = f + first;
#pragma omp simd
    for (index_t m = 0; m < n - 2; m += 2)
      at[m] = 0.25f * (at[m - n] + at[m + n] + at[m - 1] + at[m + 1] + right[m]);
  }
}

void red_black_by_hand(red_black<openmp>& kernel) {
  for (const index_t colour : {0, 1}) {
    coloured_sweep(kernel.u.data_handle(), kernel.f.data_handle(), kernel.u.extent(0),
                   kernel.u.extent(1), colour);
  }
}

const registration plain(list_kernel<openmp, jacobi<openmp>, jacobi_by_hand>);
const registration coloured(list_kernel<openmp, red_black<openmp>, red_black_by_hand>);

}  // namespace perf::sweep_openmp
