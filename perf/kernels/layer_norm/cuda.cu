// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/layer_norm/kernel.hpp>

namespace perf::layer_norm_cuda {

constexpr int threads = 128;
constexpr int warps = threads / 32;

/// Each of four numbers minus the mean.
__device__ float4 minus(float4 v, float mean) {
  return make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
}

/// A warp per row, which it reads once. Rows of `words` words of 16 bytes.
__global__ void __launch_bounds__(threads)
    layer_norm_kernel(const float4* __restrict__ x, const float4* __restrict__ gain,
                      const float4* __restrict__ bias, float4* __restrict__ y, int rows,
                      int words) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * words;
  const auto length = static_cast<float>(4 * words);
  float4 kept[row_words];
  load_row(kept, x + first, words, lane, 0);
  float sum = 0;
#pragma unroll
  for (const float4& v : kept) sum += (v.x + v.y) + (v.z + v.w);
  const float mean = warp_all(sum, sum_of{}) / length;
  float squares = 0;
#pragma unroll
  for (int w = 0; w < row_words; ++w) {
    if (lane + 32 * w >= words) continue;  // else the filler would count
    const float4 v = kept[w] = minus(kept[w], mean);
    squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  const float variance = warp_all(squares, sum_of{}) / length;
  const float scale = 1.0f / tandem::sqrt(variance + norm_epsilon);
#pragma unroll
  for (int w = 0; w < row_words; ++w) {
    const int at = lane + 32 * w;
    if (at >= words) continue;
    const float4 v = kept[w];
    const float4 g = __ldg(gain + at);
    const float4 b = __ldg(bias + at);
    y[first + at] = make_float4(v.x * scale * g.x + b.x, v.y * scale * g.y + b.y,
                                v.z * scale * g.z + b.z, v.w * scale * g.w + b.w);
  }
}

void normalise_by_hand(layer_norm<cuda>& kernel, cudaStream_t stream) {
  const auto rows = static_cast<int>(kernel.x.extent(0));
  const auto words = static_cast<int>(kernel.x.extent(1) / 4);
  if (words > 32 * row_words) throw std::invalid_argument("hand-written norm: row too long");
  const auto in = [](const auto& of) { return reinterpret_cast<const float4*>(of.data_handle()); };
  layer_norm_kernel<<<blocks_for(rows, warps), threads, 0, stream>>>(
      in(kernel.x), in(kernel.gain), in(kernel.bias),
      reinterpret_cast<float4*>(kernel.y.data_handle()), rows, words);
  check_launch("layer_norm");
}

const registration all(list_kernel<cuda, layer_norm<cuda>, normalise_by_hand>);

}  // namespace perf::layer_norm_cuda
