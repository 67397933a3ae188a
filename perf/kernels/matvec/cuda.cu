// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/matvec/kernel.hpp>

namespace perf::matvec_cuda {

constexpr int threads = 256;
/// Words of 16 bytes of a row that a thread has in flight.
constexpr int words_each = 4;

__device__ float add_products(float sum, float4 a, float4 x) {
  return sum + ((a.x * x.x + a.y * x.y) + (a.z * x.z + a.w * x.w));
}

/// A block per row of `words` words of 16 bytes.
__global__ void __launch_bounds__(threads)
    matvec_kernel(const float4* __restrict__ a, const float4* __restrict__ x, float* __restrict__ y,
                  int words) {
  const float4* const row = a + static_cast<long long>(blockIdx.x) * words;
  float sum = 0;
  int i = static_cast<int>(threadIdx.x);
  for (; i + (words_each - 1) * threads < words; i += words_each * threads) {
    float4 loaded[words_each];
#pragma unroll
    for (int w = 0; w < words_each; ++w) loaded[w] = __ldcs(row + i + w * threads);
#pragma unroll
    for (int w = 0; w < words_each; ++w)
      sum = add_products(sum, loaded[w], __ldg(x + i + w * threads));
  }
  for (; i < words; i += threads) sum = add_products(sum, __ldcs(row + i), __ldg(x + i));
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

void multiply_by_hand(matvec<cuda>& kernel, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(kernel.a.extent(0));
  const auto words = static_cast<int>(kernel.a.extent(1) / 4);
  matvec_kernel<<<rows, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(kernel.a.data_handle()),
      reinterpret_cast<const float4*>(kernel.x.data_handle()), kernel.y.data_handle(), words);
  check_launch("matrix_vector");
}

const registration all(list_kernel<cuda, matvec<cuda>, multiply_by_hand>);

}  // namespace perf::matvec_cuda
