// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/divergence/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::divergence_cuda {

constexpr int threads = 256;

__device__ corners around(const double* __restrict__ nodes, int z, int up) {
  return {
      {__ldg(nodes + z), __ldg(nodes + z + 1), __ldg(nodes + z + 1 + up), __ldg(nodes + z + up)}};
}

/// Each zones per thread, whose loads all come before the first store.
template <int Each>
__global__ void __launch_bounds__(threads)
    divergence_kernel(const int* __restrict__ zones, const double* __restrict__ x,
                      const double* __restrict__ y, const double* __restrict__ u,
                      const double* __restrict__ v, double* __restrict__ rate, int n, int up) {
  const int first = static_cast<int>(blockIdx.x * (threads * Each) + threadIdx.x);
  int zone[Each];
  double of[Each];
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int k = first + e * threads;
    zone[e] = k < n ? __ldg(zones + k) : -1;
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int z = max(zone[e], 0);  // no test, so that the zones' loads overlap
    of[e] = divergence_of(around(x, z, up), around(y, z, up), around(u, z, up), around(v, z, up));
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    if (zone[e] >= 0) rate[zone[e]] = of[e];
  }
}

/// Plain with one zone per thread, tuned with two.
template <int Each>
void by_hand(divergence<cuda>& kernel, cudaStream_t stream) {
  const int n = static_cast<int>(kernel.zones.size());
  divergence_kernel<Each><<<blocks_for(n, threads * Each), threads, 0, stream>>>(
      kernel.zones.data_handle(), kernel.x.data_handle(), kernel.y.data_handle(),
      kernel.u.data_handle(), kernel.v.data_handle(), kernel.rate.data_handle(), n,
      static_cast<int>(kernel.pitch));
  check_launch("hand-written divergence");
}

const registration gpu(list_kernel<cuda, divergence<cuda>, by_hand<1>, by_hand<2>>);

}  // namespace perf::divergence_cuda
