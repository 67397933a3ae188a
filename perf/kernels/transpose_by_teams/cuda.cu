// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/transpose_by_teams/kernel.hpp>

namespace perf::transpose_by_teams_cuda {

constexpr int side = 32;
constexpr int rows_of_threads = 8;

/// Source: NVIDIA's blog, "An Efficient Matrix Transpose in CUDA C/C++" (2013): a tile in shared
/// memory, one column wider than needed so that a column's elements are in different banks.
__global__ void __launch_bounds__(side* rows_of_threads)
    transpose_kernel(const float* __restrict__ x, float* __restrict__ z, int rows, int n) {
  __shared__ float tile[side][side + 1];
  const int top = static_cast<int>(blockIdx.y) * side;
  const int left = static_cast<int>(blockIdx.x) * side;
  const int i = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int j = 0; j < side; j += rows_of_threads)
    tile[first + j][i] = __ldg(x + (top + first + j) * n + left + i);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < side; j += rows_of_threads)
    z[(left + first + j) * rows + top + i] = tile[i][first + j];
}

void by_hand(transpose<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.x.extent(0));
  const int n = static_cast<int>(kernel.x.extent(1));
  const dim3 blocks(blocks_for(n, side), blocks_for(rows, side));
  transpose_kernel<<<blocks, dim3(side, rows_of_threads), 0, stream>>>(
      kernel.x.data_handle(), kernel.z.data_handle(), rows, n);
  check_launch("hand-written transpose");
}

const registration gpu(list_kernel<cuda, transpose<cuda>, by_hand>);

}  // namespace perf::transpose_by_teams_cuda
