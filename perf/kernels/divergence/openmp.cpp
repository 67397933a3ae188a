// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/divergence/kernel.hpp>

namespace perf::divergence_openmp {

inline corners around(const double* nodes, index_t z, index_t up) {
  return {{nodes[z], nodes[z + 1], nodes[z + 1 + up], nodes[z + up]}};
}

void by_hand(divergence<openmp>& kernel) {
  const int* const zones = kernel.zones.data_handle();
  const double* const x = kernel.x.data_handle();
  const double* const y = kernel.y.data_handle();
  const double* const u = kernel.u.data_handle();
  const double* const v = kernel.v.data_handle();
  double* __restrict const rate = kernel.rate.data_handle();
  const index_t n = kernel.zones.size();
  const index_t up = kernel.pitch;
#pragma omp parallel for schedule(static)
  for (index_t k = 0; k < n; ++k) {
    const index_t z = zones[k];
    rate[z] = divergence_of(around(x, z, up), around(y, z, up), around(u, z, up), around(v, z, up));
  }
}

const registration cpu(list_kernel<openmp, divergence<openmp>, by_hand>);

}  // namespace perf::divergence_openmp
