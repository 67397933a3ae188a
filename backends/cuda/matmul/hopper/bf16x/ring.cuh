// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/bf16x/arguments.cuh>
#include <tandem/backends/cuda/ptx/cluster.cuh>
#include <tandem/backends/cuda/ptx/mbarrier.cuh>
#include <tandem/backends/cuda/ptx/tma.cuh>

/// The ring of stages in shared memory, and the thread that fills it.
namespace tandem::cuda_impl {

/// The stages, two barriers each, and where this thread is in the ring.
struct split_ring {
  std::uint32_t shared;
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ std::uint32_t a() const { return shared + stage * split_stage_bytes; }
  __device__ __forceinline__ std::uint32_t b() const { return a() + split_operand_bytes; }
  /// Completes when a stage's bytes are there.
  __device__ __forceinline__ std::uint32_t full(int s) const {
    return shared + split_stages * split_stage_bytes + 8 * s;
  }
  /// Completes when no block of the cluster reads its stage any more.
  __device__ __forceinline__ std::uint32_t empty(int s) const { return full(split_stages + s); }
  __device__ __forceinline__ void advance() {
    if (++stage < split_stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// A block's tile of c.
struct split_position {
  int batch;
  int row;
  int column;
};

/// The tile of block `rank` of the cluster in pair `pair`: pairs that are computed together share
/// rows of a and columns of b in L2.
__device__ __forceinline__ split_position find_split_tile(const split_arguments& p, int pair,
                                                          int rank) {
  constexpr int band = 8;
  const int matrix = p.tiles_m * p.tiles_n;
  const int batch = pair / matrix;
  const int inside = pair - batch * matrix;
  const int first = inside / (band * p.tiles_n) * band;
  const int height = p.tiles_m - first < band ? p.tiles_m - first : band;
  const int place = inside - first * p.tiles_n;
  return {batch, ((first + place % height) * split_cluster + rank) * split_tile,
          place / height * split_tile};
}

/// Where the first block of k of a tile's rows (columns) lies.
__device__ __forceinline__ const unsigned char* find_parts(const split_operand& operand, int batch,
                                                           int outer, int blocks) {
  const index_t matrix = operand.matrices == 1 ? 0 : batch;
  return operand.parts + matrix * blocks * operand.block_bytes() +
         outer / split_group * index_t{split_group_bytes};
}

/// Brings the block's tiles of a, and its share of the cluster's tiles of b to all of the cluster.
__device__ __forceinline__ void produce_parts(const split_arguments& p, std::uint32_t shared,
                                              int rank) {
  constexpr std::uint32_t share = split_operand_bytes / split_cluster;
  constexpr auto everyone = static_cast<std::uint16_t>((1 << split_cluster) - 1);
  split_ring ring{shared, 0, 1};
  const int clusters = static_cast<int>(gridDim.x) / split_cluster;
  for (int pair = static_cast<int>(blockIdx.x) / split_cluster; pair < p.tiles; pair += clusters) {
    const split_position at = find_split_tile(p, pair, rank);
    const unsigned char* a = find_parts(p.a, at.batch, at.row, p.blocks);
    const unsigned char* b = find_parts(p.b, at.batch, at.column, p.blocks) + rank * share;
    for (int block = 0; block < p.blocks; ++block) {
      const std::uint32_t full = ring.full(ring.stage);
      ptx::barrier_wait(ring.empty(ring.stage), ring.parity);
      ptx::barrier_arrive_expect_tx(full, split_stage_bytes);
      ptx::copy_bulk(ring.a(), a, split_operand_bytes, full);
      ptx::copy_bulk_multicast(ring.b() + rank * share, b, share, full, everyone);
      a += p.a.block_bytes();
      b += p.b.block_bytes();
      ring.advance();
    }
  }
}

}  // namespace tandem::cuda_impl
