// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/stencil/kernel.hpp>

namespace perf::stencil_openmp {

template <class Kernel>
void five_points(Kernel& kernel) {
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const stencil_weights w = kernel.weights;
  const index_t rows = kernel.x.extent(0);
  const index_t n = kernel.x.extent(1);
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < rows - 1; ++j) {
    const float* const row = x + j * n;
    float* const out = z + j * n;
#pragma omp simd
    for (index_t i = 1; i < n - 1; ++i)
      out[i] = w.centre * row[i] + w.face * (row[i - n] + row[i + n] + row[i - 1] + row[i + 1]);
  }
}

void nine_points(stencil9<openmp>& kernel) {
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const stencil_weights w = kernel.weights;
  const index_t rows = kernel.x.extent(0);
  const index_t n = kernel.x.extent(1);
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < rows - 1; ++j) {
    const float* const row = x + j * n;
    const float* const up = row - n;
    const float* const down = row + n;
    float* const out = z + j * n;
#pragma omp simd
    for (index_t i = 1; i < n - 1; ++i) {
      out[i] = w.centre * row[i] + w.face * (up[i] + down[i] + row[i - 1] + row[i + 1]) +
               w.edge * (up[i - 1] + up[i + 1] + down[i - 1] + down[i + 1]);
    }
  }
}

void seven_points(stencil7<openmp>& kernel) {
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const stencil_weights w = kernel.weights;
  const index_t planes = kernel.x.extent(0);
  const index_t rows = kernel.x.extent(1);
  const index_t n = kernel.x.extent(2);
#pragma omp parallel for collapse(2) schedule(static)
  for (index_t k = 1; k < planes - 1; ++k) {
    for (index_t j = 1; j < rows - 1; ++j) {
      const float* const row = x + (k * rows + j) * n;
      const float* const below = row - rows * n;
      const float* const above = row + rows * n;
      float* const out = z + (k * rows + j) * n;
#pragma omp simd
      for (index_t i = 1; i < n - 1; ++i) {
        out[i] = w.centre * row[i] +
                 w.face * (below[i] + above[i] + row[i - n] + row[i + n] + row[i - 1] + row[i + 1]);
      }
    }
  }
}

void twenty_seven_points(stencil27<openmp>& kernel) {
  const float* __restrict const x = kernel.x.data_handle();
  float* __restrict const z = kernel.z.data_handle();
  const stencil_weights w = kernel.weights;
  const index_t planes = kernel.x.extent(0);
  const index_t rows = kernel.x.extent(1);
  const index_t n = kernel.x.extent(2);
#pragma omp parallel for collapse(2) schedule(static)
  for (index_t k = 1; k < planes - 1; ++k) {
    for (index_t j = 1; j < rows - 1; ++j) {
      const float* const middle = x + (k * rows + j) * n;
      const float* const below = middle - rows * n;
      const float* const above = middle + rows * n;
      float* const out = z + (k * rows + j) * n;
      const auto nine = [n](const float* at, index_t i, float a, float b, float c) {
        const float* const p = at + i;
        return a * p[0] + b * (p[-n] + p[n] + p[-1] + p[1]) +
               c * (p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1]);
      };
#pragma omp simd
      for (index_t i = 1; i < n - 1; ++i) {
        out[i] = nine(middle, i, w.centre, w.face, w.edge) +
                 nine(below, i, w.face, w.edge, w.corner) +
                 nine(above, i, w.face, w.edge, w.corner);
      }
    }
  }
}

using plain = stencil5<openmp>;
using guarded = stencil5_guarded<openmp>;

const registration five(list_kernel<openmp, plain, five_points<plain>>);
const registration five_guarded(list_kernel<openmp, guarded, five_points<guarded>>);
const registration seven(list_kernel<openmp, stencil7<openmp>, seven_points>);
const registration nine(list_kernel<openmp, stencil9<openmp>, nine_points>);
const registration volume(list_kernel<openmp, stencil27<openmp>, twenty_seven_points>);

}  // namespace perf::stencil_openmp
