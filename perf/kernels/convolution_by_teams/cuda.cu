// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/convolution_by_teams/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::convolution_by_teams_cuda {

constexpr int width = 32;
constexpr int rows_of_threads = 8;
constexpr int rows_per_thread = 4;
constexpr int height = rows_of_threads * rows_per_thread;
constexpr int threads = width * rows_of_threads;
constexpr int tile_width = width + 2 * filter_radius;
constexpr int tile_height = height + 2 * filter_radius;

/// Each thread computes rows_per_thread elements of a column, which share their loads from the
/// block's tile.
__global__ void __launch_bounds__(threads)
    convolution_kernel(const float* __restrict__ x, float* __restrict__ z, int n,
                       filter_weights w) {
  __shared__ float tile[tile_height][tile_width];
  const int pitch = n + 2 * filter_radius;
  const int top = static_cast<int>(blockIdx.y) * height;
  const int left = static_cast<int>(blockIdx.x) * width;
  const int column = static_cast<int>(threadIdx.x);
  for (int m = static_cast<int>(threadIdx.y) * width + column; m < tile_height * tile_width;
       m += threads) {
    const int j = m / tile_width;
    const int i = m % tile_width;
    tile[j][i] = __ldg(x + (top + j) * pitch + left + i);
  }
  __syncthreads();
  const int first = static_cast<int>(threadIdx.y) * rows_per_thread;
  float sums[rows_per_thread] = {};
#pragma unroll
  for (int j = 0; j < rows_per_thread + 2 * filter_radius; ++j) {
#pragma unroll
    for (int i = 0; i < filter_side; ++i) {
      const float element = tile[first + j][column + i];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        if (j >= r && j - r < filter_side) sums[r] += w.at[j - r][i] * element;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) z[(top + first + r) * n + left + column] = sums[r];
}

void by_hand(convolution<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.z.extent(0));
  const int n = static_cast<int>(kernel.z.extent(1));
  const dim3 blocks(blocks_for(n, width), blocks_for(rows, height));
  convolution_kernel<<<blocks, dim3(width, rows_of_threads), 0, stream>>>(
      kernel.x.data_handle(), kernel.z.data_handle(), n, kernel.weights);
  check_launch("hand-written convolution");
}

const registration gpu(list_kernel<cuda, convolution<cuda>, by_hand>);

}  // namespace perf::convolution_by_teams_cuda
