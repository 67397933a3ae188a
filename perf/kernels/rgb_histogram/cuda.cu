// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/rgb_histogram/kernel.hpp>

namespace perf::rgb_histogram_cuda {

constexpr int threads = 256;
/// Copies of the counters in a block's shared memory, among which its warps alternate.
constexpr int copies = 4;

/// The counters of the byte at position b of a word whose first byte has the colour `phase`.
__device__ void count_word(int* own, unsigned word, int phase) {
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const int colour = (phase + b) % colours;
    atomicAdd(own + 256 * colour + static_cast<int>(word >> 8 * b & 0xff), 1);
  }
}

/// A thread takes three words of 16 bytes at a time, 16 pixels, whose colours are then the same for
/// all threads. `groups` counts them.
__global__ void __launch_bounds__(threads)
    rgb_kernel(const uint4* __restrict__ bytes, int* __restrict__ counts, int groups) {
  __shared__ int all[copies][rgb_counters];
  const int thread = static_cast<int>(threadIdx.x);
  for (int c = thread; c < copies * rgb_counters; c += threads) all[0][c] = 0;
  __syncthreads();
  int* const own = all[thread / 32 % copies];
  const int step = static_cast<int>(gridDim.x) * threads;
  for (int g = static_cast<int>(blockIdx.x) * threads + thread; g < groups; g += step) {
    const uint4 word[] = {__ldg(bytes + 3 * g), __ldg(bytes + 3 * g + 1), __ldg(bytes + 3 * g + 2)};
#pragma unroll
    for (int w = 0; w < 3; ++w) {  // 4 bytes further on, and 16, the colour is one further on
      count_word(own, word[w].x, w % colours);
      count_word(own, word[w].y, (w + 1) % colours);
      count_word(own, word[w].z, (w + 2) % colours);
      count_word(own, word[w].w, (w + 3) % colours);
    }
  }
  __syncthreads();
  for (int c = thread; c < rgb_counters; c += threads) {
    int sum = 0;
#pragma unroll
    for (int copy = 0; copy < copies; ++copy) sum += all[copy][c];
    if (sum != 0) atomicAdd(counts + c, sum);
  }
}

void count_by_hand(rgb_histogram<cuda>& kernel, cudaStream_t stream) {
  static const unsigned resident = blocks_at_once(rgb_kernel, threads);
  const auto groups = static_cast<int>(kernel.bytes.size() / 48);
  check_cuda(cudaMemsetAsync(kernel.counts.data_handle(), 0, rgb_counters * sizeof(int), stream),
             "cudaMemsetAsync");
  const unsigned blocks = std::min(resident, blocks_for(groups, threads));
  rgb_kernel<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(kernel.bytes.data_handle()), kernel.counts.data_handle(),
      groups);
  check_launch("rgb_histogram");
}

const registration all(list_kernel<cuda, rgb_histogram<cuda>, count_by_hand>);

}  // namespace perf::rgb_histogram_cuda
