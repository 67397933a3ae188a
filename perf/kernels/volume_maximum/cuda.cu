// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/volume_maximum/kernel.hpp>

namespace perf::volume_maximum_cuda {

constexpr int threads = 256;

__device__ float change(float4 x, float4 y) {
  return fmaxf(fmaxf(fabsf(y.x - x.x), fabsf(y.y - x.y)),
               fmaxf(fabsf(y.z - x.z), fabsf(y.w - x.w)));
}

/// Maxima of absolute values are compared as the integers of their bits, which have their order.
__global__ void __launch_bounds__(threads)
    maximum_kernel(const float4* __restrict__ x, const float4* __restrict__ y, int words,
                   unsigned* largest) {
  const int step = static_cast<int>(gridDim.x * threads);
  float most = 0;
#pragma unroll 4
  for (int i = static_cast<int>(blockIdx.x * threads + threadIdx.x); i < words; i += step)
    most = fmaxf(most, change(__ldg(x + i), __ldg(y + i)));
  const unsigned of_warp = __reduce_max_sync(~0u, __float_as_uint(most));
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicMax(&of_block, of_warp);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(largest, of_block);
}

void by_hand(volume_maximum<cuda>& kernel, cudaStream_t stream) {
  static const unsigned blocks = blocks_at_once(maximum_kernel, threads);
  const auto words = static_cast<int>(kernel.before.size() / 4);
  auto* const largest = reinterpret_cast<unsigned*>(kernel.largest.data_handle());
  check_cuda(cudaMemsetAsync(largest, 0, sizeof(unsigned), stream), "cudaMemsetAsync");
  maximum_kernel<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(kernel.before.data_handle()),
      reinterpret_cast<const float4*>(kernel.after.data_handle()), words, largest);
  check_launch("hand-written maximum");
}

const registration listed(list_kernel<cuda, volume_maximum<cuda>, by_hand>);

}  // namespace perf::volume_maximum_cuda
