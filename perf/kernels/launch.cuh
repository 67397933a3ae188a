// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

/// What the hand-written CUDA versions of the bench of kernels share.
namespace perf {

/// Number of blocks of `each` elements that cover n >= 1 elements.
inline unsigned blocks_for(index_t n, int each) {
  return static_cast<unsigned>(tandem::ceil_div(n, index_t{each}));
}

/// Throws when the last launch failed.
inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

/// Number of blocks of `threads` threads that the device runs at the same time: the grid of a
/// grid-stride kernel.
template <class Kernel>
unsigned blocks_at_once(Kernel kernel, int threads) {
  int device = 0;
  int processors = 0;
  int each = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(processors * each);
}

/// The sum over the threads of a block of `Threads`, valid in thread 0. All threads call it,
/// and `Threads` is a multiple of 32.
template <int Threads, class T>
__device__ T block_sum(T value) {
  __shared__ T sums[Threads / 32];
  const auto warp_sum = [](T x) {
    for (int distance = 16; distance > 0; distance /= 2)
      x += __shfl_down_sync(~0u, x, static_cast<unsigned>(distance));
    return x;
  };
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < Threads / 32 ? sums[lane] : T(0));
  return value;
}

/// Words of 16 bytes per lane when a warp holds a row of a matrix in registers: rows of at
/// most 32 * 4 * row_words elements.
inline constexpr int row_words = 8;

/// `value` of all lanes of a warp combined, in all lanes.
template <class Operation>
__device__ float warp_all(float value, const Operation& operation) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

/// Loads the words lane, lane + 32, .. of a row of `words`; those beyond it are `filler`.
__device__ inline void load_row(float4 (&kept)[row_words], const float4* __restrict__ row,
                                int words, int lane, float filler) {
#pragma unroll
  for (int w = 0; w < row_words; ++w) {
    const int at = lane + 32 * w;
    kept[w] = at < words ? __ldg(row + at) : make_float4(filler, filler, filler, filler);
  }
}

}  // namespace perf
