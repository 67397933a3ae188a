// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/fdtd_2d/kernel.hpp>

namespace perf::fdtd_2d_openmp {

/// The fields, of `rows` rows of n elements, and the loops over one of their rows.
struct fields {
  double* __restrict ex;
  double* __restrict ey;
  double* __restrict hz;
  index_t rows;
  index_t n;

  explicit fields(fdtd_2d<openmp>& kernel)
      : ex(kernel.ex.data_handle()),
        ey(kernel.ey.data_handle()),
        hz(kernel.hz.data_handle()),
        rows(kernel.hz.extent(0)),
        n(kernel.hz.extent(1)) {}

  void set_source(int step) const {
    for (index_t i = 0; i < n; ++i) ey[i] = source_at(step);
  }
  void update_ey(index_t j) const {
    double* const y = ey + j * n;
    const double* const h = hz + j * n;
#pragma omp simd
    for (index_t i = 0; i < n; ++i) y[i] -= electric_factor * (h[i] - h[i - n]);
  }
  void update_ex(index_t j) const {
    double* const x = ex + j * n;
    const double* const h = hz + j * n;
#pragma omp simd
    for (index_t i = 1; i < n; ++i) x[i] -= electric_factor * (h[i] - h[i - 1]);
  }
  void update_hz(index_t j) const {
    const double* const x = ex + j * n;
    const double* const y = ey + j * n;
    double* const h = hz + j * n;
#pragma omp simd
    for (index_t i = 0; i < n - 1; ++i)
      h[i] -= magnetic_factor * (x[i + 1] - x[i] + y[i + n] - y[i]);
  }
};

void by_hand(fdtd_2d<openmp>& kernel) {
  const fields f(kernel);
  for (int step = 0; step < fdtd_steps; ++step) {
    f.set_source(step);
#pragma omp parallel for schedule(static)
    for (index_t j = 1; j < f.rows; ++j) f.update_ey(j);
#pragma omp parallel for schedule(static)
    for (index_t j = 0; j < f.rows; ++j) f.update_ex(j);
#pragma omp parallel for schedule(static)
    for (index_t j = 0; j < f.rows - 1; ++j) f.update_hz(j);
  }
}

/// Forks once; the loops over the electric fields, which do not depend on each other, have no
/// barrier between them.
void tuned(fdtd_2d<openmp>& kernel) {
  const fields f(kernel);
#pragma omp parallel
  for (int step = 0; step < fdtd_steps; ++step) {
#pragma omp single nowait
    f.set_source(step);
#pragma omp for schedule(static) nowait
    for (index_t j = 1; j < f.rows; ++j) f.update_ey(j);
#pragma omp for schedule(static)
    for (index_t j = 0; j < f.rows; ++j) f.update_ex(j);
#pragma omp for schedule(static)
    for (index_t j = 0; j < f.rows - 1; ++j) f.update_hz(j);
  }
}

const registration cpu(list_kernel<openmp, fdtd_2d<openmp>, by_hand, tuned>);

}  // namespace perf::fdtd_2d_openmp
