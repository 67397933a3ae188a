// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/bf16x/decompose.cuh>
#include <tandem/backends/cuda/matmul/hopper/bf16x/ring.cuh>
#include <tandem/backends/cuda/matmul/hopper/bf16x/store.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// The product of operands in parts: two warpgroups multiply what the ring brings.
namespace tandem::cuda_impl {

/// A matrix descriptor's fields but for the address ("Matrix Descriptor Format"): 64-byte swizzle,
/// and 8 rows follow each other after a group of all parts.
inline constexpr std::uint64_t split_descriptor =
    std::uint64_t{2} << 62 | std::uint64_t{split_group_bytes / 16} << 32 | std::uint64_t{1} << 16;

/// Starts the products of a stage's parts, from 0 into `sums`, the smallest first. bf16x6 leaves
/// out the first three pairs, which are below a quarter of a unit in the last place of a float
/// product.
template <int Products>
__device__ __forceinline__ void multiply_parts(const split_ring& ring, int warpgroup,
                                               float (&sums)[split_sums]) {
  constexpr int part_of_a[] = {2, 2, 1, 2, 1, 0, 1, 0, 0};
  constexpr int part_of_b[] = {2, 1, 2, 0, 1, 2, 0, 1, 0};
  const std::uint32_t rows = ring.a() + warpgroup * (split_operand_bytes / split_warpgroups);
  const std::uint64_t a = split_descriptor | rows / 16;
  const std::uint64_t b = split_descriptor | ring.b() / 16;
  ptx::wgmma_fence();
#pragma unroll
  for (int product = 9 - Products; product < 9; ++product) {
    const int from_a = part_of_a[product] * split_part_bytes;
    const int from_b = part_of_b[product] * split_part_bytes;
#pragma unroll
    for (int step = 0; step < split_k / 16; ++step) {  // 16 terms are 32 bytes of a row
      ptx::wgmma<ptx::wgmma_bf16<true, true>>(sums, a + (from_a + 32 * step) / 16,
                                              b + (from_b + 32 * step) / 16,
                                              product > 9 - Products || step > 0);
    }
  }
  ptx::wgmma_commit();
}

/// Starts the products of the ring's next stage, and returns its number.
template <int Products>
__device__ __forceinline__ int start_block(split_ring& ring, int warpgroup,
                                           float (&sums)[split_sums]) {
  ptx::barrier_wait(ring.full(ring.stage), ring.parity);
  multiply_parts<Products>(ring, warpgroup, sums);
  const int stage = ring.stage;
  ring.advance();
  return stage;
}

/// Adds the sums of a stage to the totals once at most `Pending` younger ones are under way, and
/// tells the cluster that this warp has read the stage.
template <int Pending>
__device__ __forceinline__ void finish_block(const split_ring& ring, int stage,
                                             float (&totals)[split_sums],
                                             float (&sums)[split_sums]) {
  ptx::wgmma_wait<Pending>();
  const unsigned lane = threadIdx.x % 32;
  if (lane < split_cluster) ptx::barrier_arrive_remote(ring.empty(stage), lane);
  ptx::optimization_barrier(sums);
#pragma unroll
  for (int i = 0; i < split_sums; ++i) totals[i] += sums[i];
}

/// The totals of `blocks` blocks of k. While one sum is added to them, the tensor cores are at the
/// next.
template <int Products>
__device__ __forceinline__ void multiply_chunk(split_ring& ring, int warpgroup, int blocks,
                                               float (&totals)[split_sums]) {
  float even[split_sums];
  float odd[split_sums];
#pragma unroll
  for (int i = 0; i < split_sums; ++i) totals[i] = -0.0f;  // -0 + x == x for every x
  int even_stage = start_block<Products>(ring, warpgroup, even);
  int block = 1;
#pragma unroll 1
  for (; block + 1 < blocks; block += 2) {
    const int odd_stage = start_block<Products>(ring, warpgroup, odd);
    finish_block<1>(ring, even_stage, totals, even);
    even_stage = start_block<Products>(ring, warpgroup, even);
    finish_block<1>(ring, odd_stage, totals, odd);
  }
  if (block < blocks) {
    const int odd_stage = start_block<Products>(ring, warpgroup, odd);
    finish_block<1>(ring, even_stage, totals, even);
    finish_block<0>(ring, odd_stage, totals, odd);
  } else {
    finish_block<0>(ring, even_stage, totals, even);
  }
}

/// The totals of a tile: chunk after chunk, those so far in memory, where each thread has its own.
template <int Products>
__device__ __forceinline__ void multiply_split_tile(const split_arguments& p, split_ring& ring,
                                                    int warpgroup, float (&totals)[split_sums]) {
  constexpr int stride = 128 * split_warpgroups;
  float* const kept =
      p.totals + static_cast<index_t>(blockIdx.x) * split_sums * stride + (threadIdx.x - 128);
#pragma unroll 1
  for (int first = 0; first < p.blocks; first += split_chunk_blocks) {
    const int left = p.blocks - first;
    multiply_chunk<Products>(ring, warpgroup, left < split_chunk_blocks ? left : split_chunk_blocks,
                             totals);
    if (first > 0) {
#pragma unroll
      for (int i = 0; i < split_sums; ++i) totals[i] = kept[i * stride] + totals[i];
    }
    if (left > split_chunk_blocks) {
#pragma unroll
      for (int i = 0; i < split_sums; ++i) kept[i * stride] = totals[i];
    }
  }
}

/// The part of a warpgroup that multiplies.
template <int Products>
__device__ __forceinline__ void consume_parts(const split_arguments& p, std::uint32_t shared,
                                              int rank) {
  split_ring ring{shared};
  const int warpgroup = static_cast<int>(threadIdx.x) / 128 - 1;
  const int clusters = static_cast<int>(gridDim.x) / split_cluster;
  for (int pair = static_cast<int>(blockIdx.x) / split_cluster; pair < p.tiles; pair += clusters) {
    float totals[split_sums];
    multiply_split_tile<Products>(p, ring, warpgroup, totals);
    split_position at = find_split_tile(p, pair, rank);
    at.row += 64 * warpgroup;
    store_split_tile(p.problem, at, totals);
  }
}

/// Makes the barriers, before any block of the cluster uses another one's.
__device__ __forceinline__ void open_split_ring(std::uint32_t shared) {
  if (threadIdx.x == 0) {
    const split_ring ring{shared};
    for (int stage = 0; stage < split_stages; ++stage) {
      ptx::barrier_init(ring.full(stage), 1);
      ptx::barrier_init(ring.empty(stage), split_warpgroups * 4 * split_cluster);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

/// c from the parts of a and b. A grid of whole clusters, at most p.tiles of them.
template <int Products>
__global__ void __launch_bounds__(split_threads, 1)
    matmul_split_kernel(const __grid_constant__ split_arguments p) {
  extern __shared__ __align__(1024) unsigned char split_shared[];
  const std::uint32_t shared = ptx::shared_address(split_shared);
  const int rank = static_cast<int>(ptx::cluster_rank());
  open_split_ring(shared);
  ptx::wait_for_prior_work();
  if (threadIdx.x < 128) {
    ptx::decrease_registers<24>();
    if (threadIdx.x == 0) produce_parts(p, shared, rank);
  } else {
    ptx::increase_registers<240>();
    consume_parts<Products>(p, shared, rank);
  }
  __syncwarp();
  ptx::cluster_arrive();  // no block leaves while another may still signal it
  ptx::cluster_wait();
}

}  // namespace tandem::cuda_impl
