// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/nbody/kernel.hpp>

namespace perf::nbody_openmp {

/// Bodies whose sums stay in registers: four vectors of 16 floats.
constexpr int width = 64;

void pull_by_hand(nbody<openmp>& kernel) {
  const float* const x = kernel.x.data_handle();
  const float* const y = kernel.y.data_handle();
  const float* const z = kernel.z.data_handle();
  const float* const mass = kernel.mass.data_handle();
  float* const out = kernel.pulls.data_handle();
  const auto n = static_cast<int>(kernel.x.size());
#pragma omp parallel for schedule(static)
  for (int first = 0; first < n; first += width) {
    float sum_x[width] = {};
    float sum_y[width] = {};
    float sum_z[width] = {};
    for (int j = 0; j < n; ++j) {
      const float at_x = x[j];
      const float at_y = y[j];
      const float at_z = z[j];
      const float of_mass = mass[j];
#pragma omp simd
      for (int i = 0; i < width; ++i) {
        const acceleration sum = add_pull({sum_x[i], sum_y[i], sum_z[i]}, at_x - x[first + i],
                                          at_y - y[first + i], at_z - z[first + i], of_mass);
        sum_x[i] = sum.x;
        sum_y[i] = sum.y;
        sum_z[i] = sum.z;
      }
    }
    for (int i = 0; i < width; ++i) {
      out[first + i] = sum_x[i];
      out[n + first + i] = sum_y[i];
      out[2 * n + first + i] = sum_z[i];
    }
  }
}

const registration all(list_kernel<openmp, nbody<openmp>, pull_by_hand>);

}  // namespace perf::nbody_openmp
