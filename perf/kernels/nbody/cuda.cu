// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/nbody/kernel.hpp>

namespace perf::nbody_cuda {

constexpr int threads = bodies_at_once;

/// One body per thread; a block stages as many at a time in shared memory, whose words of 16 bytes
/// all threads of a warp read at once.
__global__ void __launch_bounds__(threads)
    pull_kernel(const float* __restrict__ x, const float* __restrict__ y,
                const float* __restrict__ z, const float* __restrict__ mass,
                float* __restrict__ out, int n) {
  __shared__ float4 tile[threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int own = static_cast<int>(blockIdx.x) * threads + thread;
  const float at_x = x[own];
  const float at_y = y[own];
  const float at_z = z[own];
  acceleration sum{0, 0, 0};
  for (int first = 0; first < n; first += threads) {
    const int i = first + thread;
    tile[thread] = make_float4(x[i], y[i], z[i], mass[i]);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < threads; ++j) {
      const float4 body = tile[j];
      sum = add_pull(sum, body.x - at_x, body.y - at_y, body.z - at_z, body.w);
    }
    __syncthreads();
  }
  out[own] = sum.x;
  out[n + own] = sum.y;
  out[2 * n + own] = sum.z;
}

void pull_by_hand(nbody<cuda>& kernel, cudaStream_t stream) {
  const auto n = static_cast<int>(kernel.x.size());
  pull_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(
      kernel.x.data_handle(), kernel.y.data_handle(), kernel.z.data_handle(),
      kernel.mass.data_handle(), kernel.pulls.data_handle(), n);
  check_launch("nbody");
}

const registration all(list_kernel<cuda, nbody<cuda>, pull_by_hand>);

}  // namespace perf::nbody_cuda
