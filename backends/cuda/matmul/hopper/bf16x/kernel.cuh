// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/bf16x/decompose.cuh>
#include <tandem/backends/cuda/matmul/hopper/bf16x/store.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// Multiplies decomposed operands: two warpgroups multiply the stages of the pipeline.
namespace tandem::cuda_impl {

/// Loads the block's tiles of a, and multicasts its part of the cluster's tiles of b to the whole
/// cluster.
__device__ __forceinline__ void bf16x_producer(const bf16x_arguments& p, std::uint32_t shared,
                                               int rank) {
  constexpr std::uint32_t share = bf16x_operand_bytes / bf16x_cluster;
  constexpr auto everyone = static_cast<std::uint16_t>((1 << bf16x_cluster) - 1);
  bf16x_pipeline pipeline{{shared, 0, 1}};
  const int clusters = static_cast<int>(gridDim.x) / bf16x_cluster;
  for (int pair = static_cast<int>(blockIdx.x) / bf16x_cluster; pair < p.tiles; pair += clusters) {
    const bf16x_position at = bf16x_position_of(p, pair, rank);
    const unsigned char* a = first_components(p.a, at.batch, at.row, p.blocks);
    const unsigned char* b = first_components(p.b, at.batch, at.column, p.blocks) + rank * share;
    for (int block = 0; block < p.blocks; ++block) {
      const std::uint32_t full = pipeline.full();
      ptx::barrier_wait(pipeline.empty(), pipeline.parity);
      ptx::barrier_arrive_expect_tx(full, bf16x_stage_bytes);
      ptx::copy_bulk(pipeline.a(), a, bf16x_operand_bytes, full);
      ptx::copy_bulk_multicast(pipeline.b() + rank * share, b, share, full, everyone);
      a += p.a.block_bytes();
      b += p.b.block_bytes();
      pipeline.advance();
    }
  }
}

/// A matrix descriptor's fields except for the address ("Matrix Descriptor Format"): 64-byte
/// swizzle, with a stride of one group of all components between sets of 8 rows.
inline constexpr std::uint64_t bf16x_descriptor =
    std::uint64_t{2} << 62 | std::uint64_t{bf16x_group_bytes / 16} << 32 | std::uint64_t{1} << 16;

/// Issues the products of a stage's components, smallest first; `sums` starts at 0. bf16x6 omits
/// the first three pairs, which are below a quarter of a unit in the last place of a float product.
template <int Products>
__device__ __forceinline__ void multiply_components(const bf16x_pipeline& pipeline, int warpgroup,
                                                    float (&sums)[bf16x_sums]) {
  constexpr int component_of_a[] = {2, 2, 1, 2, 1, 0, 1, 0, 0};
  constexpr int component_of_b[] = {2, 1, 2, 0, 1, 2, 0, 1, 0};
  const std::uint32_t rows = pipeline.a() + warpgroup * (bf16x_operand_bytes / bf16x_warpgroups);
  const std::uint64_t a = bf16x_descriptor | rows / 16;
  const std::uint64_t b = bf16x_descriptor | pipeline.b() / 16;
  ptx::wgmma_fence();
#pragma unroll
  for (int product = 9 - Products; product < 9; ++product) {
    const int from_a = component_of_a[product] * bf16x_component_bytes;
    const int from_b = component_of_b[product] * bf16x_component_bytes;
#pragma unroll
    for (int step = 0; step < bf16x_block_k / 16; ++step) {  // 16 terms are 32 bytes of a row
      ptx::wgmma<ptx::wgmma_bf16<true, true>>(sums, a + (from_a + 32 * step) / 16,
                                              b + (from_b + 32 * step) / 16,
                                              product > 9 - Products || step > 0);
    }
  }
  ptx::wgmma_commit();
}

/// Issues the products of the pipeline's next stage, and returns its index.
template <int Products>
__device__ __forceinline__ int start_block(bf16x_pipeline& pipeline, int warpgroup,
                                           float (&sums)[bf16x_sums]) {
  ptx::barrier_wait(pipeline.full(), pipeline.parity);
  multiply_components<Products>(pipeline, warpgroup, sums);
  const int stage = pipeline.stage;
  pipeline.advance();
  return stage;
}

/// Adds the sums of a stage to the totals as soon as at most `Pending` later ones are in flight,
/// and signals to the cluster that this warp has read the stage.
template <int Pending>
__device__ __forceinline__ void finish_block(const bf16x_pipeline& pipeline, int stage,
                                             float (&totals)[bf16x_sums],
                                             float (&sums)[bf16x_sums]) {
  ptx::wgmma_wait<Pending>();
  release_stage(pipeline, stage, bf16x_cluster);
  ptx::optimization_barrier(sums);
#pragma unroll
  for (int i = 0; i < bf16x_sums; ++i) totals[i] += sums[i];
}

/// Computes the totals of `blocks` blocks of k. The tensor cores compute the next sum while one is
/// added to the totals.
template <int Products>
__device__ __forceinline__ void multiply_chunk(bf16x_pipeline& pipeline, int warpgroup, int blocks,
                                               float (&totals)[bf16x_sums]) {
  float even[bf16x_sums];
  float odd[bf16x_sums];
#pragma unroll
  for (int i = 0; i < bf16x_sums; ++i) totals[i] = -0.0f;  // -0 + x == x for every x
  int even_stage = start_block<Products>(pipeline, warpgroup, even);
  int block = 1;
#pragma unroll 1
  for (; block + 1 < blocks; block += 2) {
    const int odd_stage = start_block<Products>(pipeline, warpgroup, odd);
    finish_block<1>(pipeline, even_stage, totals, even);
    even_stage = start_block<Products>(pipeline, warpgroup, even);
    finish_block<1>(pipeline, odd_stage, totals, odd);
  }
  if (block < blocks) {
    const int odd_stage = start_block<Products>(pipeline, warpgroup, odd);
    finish_block<1>(pipeline, even_stage, totals, even);
    finish_block<0>(pipeline, odd_stage, totals, odd);
  } else {
    finish_block<0>(pipeline, even_stage, totals, even);
  }
}

/// Computes the totals of a tile chunk by chunk. The totals so far are in global memory, in a
/// separate slot for each thread.
template <int Products>
__device__ __forceinline__ void multiply_bf16x_tile(const bf16x_arguments& p,
                                                    bf16x_pipeline& pipeline, int warpgroup,
                                                    float (&totals)[bf16x_sums]) {
  constexpr int stride = 128 * bf16x_warpgroups;
  float* const kept =
      p.totals + static_cast<index_t>(blockIdx.x) * bf16x_sums * stride + (threadIdx.x - 128);
#pragma unroll 1
  for (int first = 0; first < p.blocks; first += bf16x_chunk_blocks) {
    const int left = p.blocks - first;
    multiply_chunk<Products>(pipeline, warpgroup,
                             left < bf16x_chunk_blocks ? left : bf16x_chunk_blocks, totals);
    if (first > 0) {
#pragma unroll
      for (int i = 0; i < bf16x_sums; ++i) totals[i] = kept[i * stride] + totals[i];
    }
    if (left > bf16x_chunk_blocks) {
#pragma unroll
      for (int i = 0; i < bf16x_sums; ++i) kept[i * stride] = totals[i];
    }
  }
}

/// The loop of a multiplying warpgroup.
template <int Products>
__device__ __forceinline__ void bf16x_consumer(const bf16x_arguments& p, std::uint32_t shared,
                                               int rank) {
  bf16x_pipeline pipeline{{shared}};
  const int warpgroup = static_cast<int>(threadIdx.x) / 128 - 1;
  const int clusters = static_cast<int>(gridDim.x) / bf16x_cluster;
  for (int pair = static_cast<int>(blockIdx.x) / bf16x_cluster; pair < p.tiles; pair += clusters) {
    float totals[bf16x_sums];
    multiply_bf16x_tile<Products>(p, pipeline, warpgroup, totals);
    bf16x_position at = bf16x_position_of(p, pair, rank);
    at.row += 64 * warpgroup;
    store_bf16x_tile(p.problem, at, totals);
  }
}

/// Initialises the barriers, before any block of the cluster uses another block's.
__device__ __forceinline__ void init_bf16x_barriers(std::uint32_t shared) {
  if (threadIdx.x == 0) {
    const bf16x_pipeline pipeline{{shared}};
    pipeline.init_barriers(1, bf16x_warpgroups * 4 * bf16x_cluster);
  }
  __syncthreads();
  sync_cluster();
}

/// Computes c from the components of a and b. The grid consists of whole clusters, at most p.tiles
/// of them.
template <int Products>
__global__ void __launch_bounds__(bf16x_threads, 1)
    matmul_bf16x_kernel(const __grid_constant__ bf16x_arguments p) {
  extern __shared__ __align__(1024) unsigned char bf16x_shared[];
  const std::uint32_t shared = ptx::shared_address(bf16x_shared);
  const int rank = static_cast<int>(ptx::cluster_rank());
  init_bf16x_barriers(shared);
  ptx::grid_dependency_wait();
  if (threadIdx.x < 128) {
    ptx::decrease_registers<24>();
    if (threadIdx.x == 0) bf16x_producer(p, shared, rank);
  } else {
    ptx::increase_registers<240>();
    bf16x_consumer<Products>(p, shared, rank);
  }
  __syncwarp();
  sync_cluster();  // no block exits while another may still signal it
}

}  // namespace tandem::cuda_impl
