// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/copy_transposed/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::copy_transposed_cuda {

constexpr int threads_per_line = 32;
constexpr int lines_of_threads = 8;

/// Source: NVIDIA's blog, "An Efficient Matrix Transpose in CUDA C/C++" (2013): a tile in shared
/// memory, one column wider than needed so that a column's elements are in different banks. A side
/// of 64 has four times the loads in flight of a side of 32, in a quarter as many blocks.
template <int Side>
__global__ void __launch_bounds__(threads_per_line* lines_of_threads)
    transpose_kernel(const float* __restrict__ x, float* __restrict__ z, int rows, int planes,
                     int columns) {
  __shared__ float tile[Side][Side + 1];
  const int top = static_cast<int>(blockIdx.y) * Side;
  const int left = static_cast<int>(blockIdx.x) * Side;
  const int plane = static_cast<int>(blockIdx.z);
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int j = first; j < Side; j += lines_of_threads) {
#pragma unroll
    for (int i = lane; i < Side; i += threads_per_line) {
      if (top + j < rows && left + i < columns)
        tile[j][i] =
            __ldg(x + (static_cast<index_t>(top + j) * planes + plane) * columns + left + i);
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = first; j < Side; j += lines_of_threads) {
#pragma unroll
    for (int i = lane; i < Side; i += threads_per_line) {
      if (left + j < columns && top + i < rows)
        z[(static_cast<index_t>(left + j) * planes + plane) * rows + top + i] = tile[i][j];
    }
  }
}

template <int Side>
void run(copy_transposed<cuda>& kernel, cudaStream_t stream) {
  const dim3 blocks(blocks_for(kernel.columns, Side), blocks_for(kernel.rows, Side),
                    static_cast<unsigned>(kernel.planes));
  transpose_kernel<Side><<<blocks, dim3(threads_per_line, lines_of_threads), 0, stream>>>(
      kernel.x.data_handle(), kernel.z.data_handle(), static_cast<int>(kernel.rows),
      static_cast<int>(kernel.planes), static_cast<int>(kernel.columns));
  check_launch("hand-written transpose");
}

void by_hand(copy_transposed<cuda>& kernel, cudaStream_t stream) {
  const index_t large = index_t{1} << 22;  // enough large tiles for a GPU's multiprocessors
  kernel.x.size() >= large ? run<64>(kernel, stream) : run<32>(kernel, stream);
}

const registration gpu(list_kernel<cuda, copy_transposed<cuda>, by_hand>);

}  // namespace perf::copy_transposed_cuda
