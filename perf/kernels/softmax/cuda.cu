// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/softmax/kernel.hpp>

namespace perf::softmax_cuda {

constexpr int threads = 128;
constexpr int warps = threads / 32;

/// A warp per row, which it reads once.
__global__ void __launch_bounds__(threads)
    softmax_kernel(const float4* __restrict__ x, float4* __restrict__ y, int rows, int words) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * words;
  float4 kept[row_words];
  load_row(kept, x + first, words, lane, below_all);
  float largest = below_all;
#pragma unroll
  for (const float4& v : kept) largest = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  largest = warp_all(largest, larger_of{});
  float sum = 0;
#pragma unroll
  for (float4& v : kept) {
    v = make_float4(tandem::exp(v.x - largest), tandem::exp(v.y - largest),
                    tandem::exp(v.z - largest), tandem::exp(v.w - largest));
    sum += (v.x + v.y) + (v.z + v.w);
  }
  const float scale = 1.0f / warp_all(sum, sum_of{});
#pragma unroll
  for (int w = 0; w < row_words; ++w) {
    const float4 v = kept[w];
    if (lane + 32 * w < words)
      y[first + lane + 32 * w] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
  }
}

void softmax_by_hand(softmax<cuda>& kernel, cudaStream_t stream) {
  const auto rows = static_cast<int>(kernel.x.extent(0));
  const auto words = static_cast<int>(kernel.x.extent(1) / 4);
  if (words > 32 * row_words) throw std::invalid_argument("hand-written softmax: row too long");
  softmax_kernel<<<blocks_for(rows, warps), threads, 0, stream>>>(
      reinterpret_cast<const float4*>(kernel.x.data_handle()),
      reinterpret_cast<float4*>(kernel.y.data_handle()), rows, words);
  check_launch("softmax");
}

const registration all(list_kernel<cuda, softmax<cuda>, softmax_by_hand>);

}  // namespace perf::softmax_cuda
