// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/compaction/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::compaction_cuda {

constexpr int threads = 256;
constexpr int warps = threads / 32;
/// Rows of `threads` elements that a block takes.
constexpr int rows = 16;
constexpr int elements_of_block = rows * threads;

/// The number of kept elements of each block.
__global__ void __launch_bounds__(threads)
    count_kernel(const float* __restrict__ x, int* __restrict__ counts, int n) {
  const int first =
      static_cast<int>(blockIdx.x) * elements_of_block + static_cast<int>(threadIdx.x);
  int count = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int i = first + r * threads;
    count += i < n && x[i] > kept_above ? 1 : 0;
  }
  count = block_sum<threads>(count);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

/// Replaces the counts by their exclusive prefix sums and writes the total. One block, whose
/// threads scan a run of counts each.
__global__ void __launch_bounds__(1024) scan_kernel(int* counts, int blocks, index_t* total) {
  __shared__ int sums[1024];
  const int thread = static_cast<int>(threadIdx.x);
  const int each = (blocks + 1023) / 1024;
  const int begin = min(thread * each, blocks);
  const int end = min(begin + each, blocks);
  int sum = 0;
  for (int b = begin; b < end; ++b) sum += counts[b];
  sums[thread] = sum;
  __syncthreads();
  for (int distance = 1; distance < 1024; distance *= 2) {
    const int other = thread >= distance ? sums[thread - distance] : 0;
    __syncthreads();
    sums[thread] += other;
    __syncthreads();
  }
  int before = sums[thread] - sum;
  for (int b = begin; b < end; ++b) {
    const int count = counts[b];
    counts[b] = before;
    before += count;
  }
  if (thread == 1023) *total = sums[1023];
}

/// Writes the kept elements of each block behind those before it. A warp's rows are neighbours, so
/// that ballots alone number its elements.
__global__ void __launch_bounds__(threads)
    write_kernel(const float* __restrict__ x, const int* __restrict__ before,
                 float* __restrict__ out, int n) {
  __shared__ int counts[warps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int first = static_cast<int>(blockIdx.x) * elements_of_block + warp * (32 * rows) + lane;
  float value[rows];
  unsigned kept[rows];
  int count = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int i = first + 32 * r;
    value[r] = i < n ? x[i] : kept_above;
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    kept[r] = __ballot_sync(~0u, value[r] > kept_above);
    count += __popc(kept[r]);
  }
  if (lane == 0) counts[warp] = count;
  __syncthreads();
  int at = before[blockIdx.x];
  for (int w = 0; w < warp; ++w) at += counts[w];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    if (value[r] > kept_above) out[at + __popc(kept[r] & ((1u << lane) - 1))] = value[r];
    at += __popc(kept[r]);
  }
}

void compact_by_hand(compaction<cuda>& kernel, cudaStream_t stream) {
  const auto n = static_cast<int>(kernel.x.size());
  const unsigned blocks = blocks_for(n, elements_of_block);
  const float* const x = kernel.x.data_handle();
  int* counts = nullptr;
  check_cuda(cudaMallocAsync(&counts, blocks * sizeof(int), stream), "cudaMallocAsync");
  count_kernel<<<blocks, threads, 0, stream>>>(x, counts, n);
  scan_kernel<<<1, 1024, 0, stream>>>(counts, static_cast<int>(blocks), kernel.count.data_handle());
  write_kernel<<<blocks, threads, 0, stream>>>(x, counts, kernel.kept.data_handle(), n);
  check_launch("compaction");
  check_cuda(cudaFreeAsync(counts, stream), "cudaFreeAsync");
}

const registration all(list_kernel<cuda, compaction<cuda>, compact_by_hand>);

}  // namespace perf::compaction_cuda
