// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/multiply.cuh>
#include <tandem/backends/cuda/matmul/hopper/multiply_a_in_registers.cuh>
#include <tandem/backends/cuda/matmul/hopper/store.cuh>

/// Matmul on Hopper's tensor cores: the first warpgroup of a block brings tiles of a and b into the
/// ring, the others multiply them, and blocks take tile after tile of c.
namespace tandem::cuda_impl {

/// Where one operand's part of a tile comes from, and whether the two blocks of a cluster each
/// bring half of it for both.
struct wgmma_source {
  const CUtensorMap* map;
  int outer;  ///< first row of a, column of b
  int plane;
  int rank;
  int shared;  ///< 0 or 1
};

/// Starts the copy of one operand's part of a stage: `Rows` runs along k, or boxes of `Box` runs of
/// the other index by as many terms, all of the stage's.
template <bool KMajor, int Rows, int Box>
__device__ __forceinline__ void bring(const wgmma_source& from, std::uint32_t target,
                                      std::uint32_t barrier, int k) {
  constexpr std::uint16_t both = 3;
  constexpr int half = Rows / 2;
  if constexpr (KMajor) {
    if (from.shared == 0)
      return ptx::tma_load(target, *from.map, barrier, k, from.outer, from.plane);
    ptx::tma_load_multicast(target + from.rank * half * wgmma_row_bytes, *from.map, barrier, k,
                            from.outer + from.rank * half, from.plane, both);
  } else {
#pragma unroll
    for (int row = 0; row < Rows; row += Box) {
      const std::uint32_t place = target + row * wgmma_row_bytes;
      if (from.shared == 0) {
        ptx::tma_load(place, *from.map, barrier, from.outer + row, k, from.plane);
      } else if (row / half == from.rank) {
        ptx::tma_load_multicast(place, *from.map, barrier, from.outer + row, k, from.plane, both);
      }
    }
  }
}

/// Brings one operand's part of every stage that a tile takes.
template <class Tile, bool KMajor, int Rows>
__device__ __forceinline__ void bring_tile(const wgmma_position& at, const wgmma_source& from,
                                           wgmma_ring<Tile>& ring, std::uint32_t target) {
  for (int block = at.first; block < at.last; ++block) {
    ptx::barrier_wait(ring.empty(), ring.parity);
    ptx::barrier_arrive_expect_tx(ring.full(), Rows * wgmma_row_bytes);
    bring<KMajor, Rows, Tile::block_k>(from, target + ring.stage * Tile::stage_bytes, ring.full(),
                                       block * Tile::block_k);
    ring.advance();
  }
}

/// The first warpgroup's part: one thread brings tiles of a, one of another warp those of b.
template <class Tile>
__device__ __forceinline__ void produce(const wgmma_arguments& p, std::uint32_t shared, int rank,
                                        bool brings_a) {
  wgmma_ring<Tile> ring{shared, 0, 1};
  const int shared_a = ptx::optimization_barrier(p.shares_a ? p.cluster - 1 : 0);
  const int shared_b = ptx::optimization_barrier(p.shares_a ? 0 : p.cluster - 1);
  const int clusters = static_cast<int>(gridDim.x) / p.cluster;
  for (int tile = static_cast<int>(blockIdx.x) / p.cluster; tile < p.tiles; tile += clusters) {
    const wgmma_position at = position_of<Tile>(p, tile, rank);
    if (brings_a) {
      const wgmma_source a{&p.a, at.row, p.a_batched ? at.batch : 0, rank, shared_a};
      bring_tile<Tile, Tile::a_k_major, Tile::m>(at, a, ring, shared);
    } else {
      const wgmma_source b{&p.b, at.column, p.b_batched ? at.batch : 0, rank, shared_b};
      bring_tile<Tile, Tile::b_k_major, Tile::n>(at, b, ring, shared + Tile::a_bytes);
    }
  }
}

/// The totals of a tile: of one chunk, or of several added in ascending order.
template <class Tile>
__device__ __forceinline__ void multiply_tile(const wgmma_arguments& p, const wgmma_position& at,
                                              wgmma_ring<Tile>& ring, int warpgroup,
                                              float (&totals)[Tile::strips][Tile::n / 2]) {
  const int blocks = at.last - at.first;
  const auto multiply = [&](int some, float(&sums)[Tile::strips][Tile::n / 2]) {
    if constexpr (Tile::a_in_registers) {
      multiply_chunk_by_registers(ring, warpgroup, some, p.cluster, sums[0]);
    } else {
      multiply_chunk(ring, warpgroup, some, p.cluster, sums);
    }
  };
  if constexpr (!Tile::adds_chunks) {
    multiply(blocks, totals);
  } else {
    static_assert(Tile::strips == 1);
    for (int done = 0; done < blocks; done += p.chunk_blocks) {
      float sums[1][Tile::n / 2];
      const int left = blocks - done;
      multiply(left < p.chunk_blocks ? left : p.chunk_blocks, sums);
#pragma unroll
      for (int i = 0; i < Tile::n / 2; ++i)
        totals[0][i] = done == 0 ? sums[0][i] : totals[0][i] + sums[0][i];
    }
  }
}

/// x of the warp's first lane, which lets the compiler know that all have the same.
__device__ __forceinline__ int uniform(unsigned x) {
  return static_cast<int>(__shfl_sync(0xffffffff, x, 0));
}

/// The other warpgroups' part.
template <class Tile>
__device__ __forceinline__ void consume(const wgmma_arguments& p, std::uint32_t shared, int rank) {
  wgmma_ring<Tile> ring{shared};
  const int warpgroup = uniform(threadIdx.x / warpgroup_threads) - 1;
  const std::uint32_t buffers =
      shared + Tile::ring_bytes + warpgroup * Tile::store_buffers * Tile::store_bytes;
  const int clusters = static_cast<int>(gridDim.x) / p.cluster;
  int turn = 0;
  if (Tile::pingpong && warpgroup == 1) pass_turn(warpgroup);  // the first is the other's
  for (int tile = static_cast<int>(blockIdx.x) / p.cluster; tile < p.tiles; tile += clusters) {
    wgmma_position at = position_of<Tile>(p, tile, rank);
    if constexpr (Tile::pingpong) {
      const bool others = turn != warpgroup;
      turn = turn + 1 < Tile::warpgroups ? turn + 1 : 0;
      if (others) {
        ring.skip(at.last - at.first);
        continue;
      }
      await_turn(warpgroup);
    }
    float totals[Tile::strips][Tile::n / 2];
    multiply_tile<Tile>(p, at, ring, warpgroup, totals);
    at.row += Tile::pingpong ? 0 : warpgroup * warpgroup_rows;
#pragma unroll
    for (int i = 0; i < Tile::strips; ++i, at.row += warpgroup_rows)
      store_tile<Tile>(p, at, totals[i], buffers, i);
  }
  if (p.c_boxes && threadIdx.x % warpgroup_threads == 0) ptx::tma_store_wait_read<0>();
}

/// Makes the barriers, before any block of the cluster uses another one's.
template <class Tile>
__device__ __forceinline__ void open_ring(const wgmma_arguments& p, std::uint32_t shared,
                                          int releasing_warps = 4 * Tile::warpgroups) {
  if (threadIdx.x == warpgroup_threads) {  // of another warp, at the same time
    ptx::prefetch_tensor_map(p.a);
    ptx::prefetch_tensor_map(p.b);
    if (p.c_boxes) ptx::prefetch_tensor_map(p.c);
  }
  if (threadIdx.x == 0) {
    const wgmma_ring<Tile> ring{shared};
    for (int stage = 0; stage < Tile::stages; ++stage) {
      ptx::barrier_init(ring.full(stage), 2);  // a and b
      ptx::barrier_init(ring.empty(stage), releasing_warps * p.cluster);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  if (p.cluster > 1) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

/// c from a and b as the arguments have it. A grid of whole clusters, at most p.tiles of them.
template <tensor_type Type, int Warpgroups, int N, bool Pingpong, int Resident, bool AKMajor,
          bool BKMajor>
__global__ void __launch_bounds__(warpgroup_threads*(Warpgroups + 1), Resident)
    matmul_wgmma_kernel(const __grid_constant__ wgmma_arguments p) {
  using tile = wgmma_tile<Type, Warpgroups, N, Pingpong, Resident, AKMajor, BKMajor>;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];
  const std::uint32_t shared = ptx::optimization_barrier(ptx::shared_address(wgmma_shared));
  const int rank = p.cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  ptx::launch_dependents();
  open_ring<tile>(p, shared, tile::releasing_warps);
  ptx::wait_for_prior_work();
  if (threadIdx.x < warpgroup_threads) {
    if constexpr (tile::moves_registers) ptx::decrease_registers<tile::fewer_registers>();
    const int warp = uniform(threadIdx.x / 32);
    if (warp < 2 && ptx::elect_one()) produce<tile>(p, shared, rank, warp == 0);
  } else {
    if constexpr (tile::moves_registers) ptx::increase_registers<tile::more_registers>();
    consume<tile>(p, shared, rank);
  }
  __syncwarp();
  if (p.cluster > 1) {  // no block leaves while another may still signal it
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

}  // namespace tandem::cuda_impl
