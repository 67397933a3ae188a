// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_wgmma.cuh>
#include <tandem/backends/cuda/matmul_wgmma_store.cuh>
#include <tandem/backends/cuda/ptx_wgmma_int8.cuh>

/// Matmul of 8-bit integers on Hopper: the frame of matmul_wgmma.cuh, with sums and results of 32
/// bits. Both operands are contiguous along k, which the instruction asks for.
namespace tandem::cuda_impl {

/// A tile of c of 64 * Warpgroups x N elements and the ring of stages that feeds it.
template <int Warpgroups, int N>
struct int8_tile {
  static constexpr int warpgroups = Warpgroups;
  static constexpr int m = warpgroup_rows * Warpgroups;
  static constexpr int n = N;
  static constexpr bool a_along_k = true;
  static constexpr bool b_along_k = true;
  static constexpr int threads = warpgroup_threads * (Warpgroups + 1);
  static constexpr int block_k = wgmma_row_bytes;
  static constexpr int a_bytes = m * wgmma_row_bytes;
  static constexpr int stage_bytes = a_bytes + n * wgmma_row_bytes;
  // 192 KiB of the 227 KiB that a block may have; with one warpgroup half, for two blocks.
  static constexpr int stages = (Warpgroups == 1 ? 96 : 192) * 1024 / stage_bytes;
  static constexpr int ring_bytes = stages * stage_bytes;
  static constexpr int store_bytes = warpgroup_rows * wgmma_row_bytes;  // one of two buffers
  static constexpr int barriers_offset = ring_bytes + 2 * Warpgroups * store_bytes;
  static constexpr int shared_bytes = barriers_offset + 2 * stages * 8;
};

/// What a kernel is given. Of `frame` neither `finish` nor the pairs of parts are used.
struct int8_wgmma_arguments {
  wgmma_arguments frame;
  tandem::detail::matmul_finish<std::int32_t> finish;
};

/// The sums of `blocks` blocks of k. A stage is released when the products of the next one are
/// under way and its own have ended.
template <class Tile>
__device__ __forceinline__ void multiply_int8(wgmma_ring<Tile>& ring, int warpgroup, int blocks,
                                              int cluster, int (&sums)[Tile::n / 2]) {
  int previous = -1;
  for (int block = 0; block < blocks; ++block) {
    ptx::barrier_wait(ring.full(), ring.parity);
    const std::uint32_t rows = ring.a() + warpgroup * warpgroup_rows * wgmma_row_bytes;
    const std::uint64_t a = wgmma_descriptor(true) | descriptor_address(rows);
    const std::uint64_t b = wgmma_descriptor(true) | descriptor_address(ring.b());
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)  // 32 bytes of each row
      ptx::wgmma_int8(sums, a + step * 2, b + step * 2, block > 0 || step > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    if (previous >= 0) release(ring, previous, cluster);
    previous = ring.stage;
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::hold(sums);
  if (previous >= 0) release(ring, previous, cluster);
}

/// 32 columns of the sums, times alpha, into a buffer.
template <int Count>
__device__ __forceinline__ void put_words(std::uint32_t buffer, const int (&sums)[Count], int chunk,
                                          int alpha) {
  const int thread = static_cast<int>(threadIdx.x) % warpgroup_threads;
  const int row = thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int* const s = &sums[chunk * 16 + i * 4];
    const int byte = i * 32 + thread % 4 * 8;
    const auto scaled = [alpha](int x) {
      return static_cast<std::uint32_t>(tandem::detail::multiply_add(alpha, x, 0));
    };
    ptx::store_shared(buffer + swizzled(row, byte), scaled(s[0]), scaled(s[1]));
    ptx::store_shared(buffer + swizzled(row + 8, byte), scaled(s[2]), scaled(s[3]));
  }
}

/// A warpgroup's 64 x N sums by tensor copies, which run on while the next tile is multiplied.
template <class Tile>
__device__ __forceinline__ void store_int8_boxes(const int8_wgmma_arguments& p,
                                                 const wgmma_position& at,
                                                 const int (&sums)[Tile::n / 2],
                                                 std::uint32_t buffers) {
  const int warpgroup = static_cast<int>(threadIdx.x) / warpgroup_threads;
  const bool leads = threadIdx.x % warpgroup_threads == 0;
  const int row = at.row + (warpgroup - 1) * warpgroup_rows;
  const int z = at.part * p.frame.batch + at.batch;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + chunk % 2 * Tile::store_bytes;
    if (leads) ptx::store_wait_read<1>();  // the copy before the last has left this buffer
    ptx::sync_group(warpgroup, warpgroup_threads);
    put_words(buffer, sums, chunk, p.finish.alpha);
    ptx::fence_async_proxy();
    ptx::sync_group(warpgroup, warpgroup_threads);
    if (leads) {
      ptx::store_box(p.frame.c, buffer, at.column + chunk * 32, row, z);
      ptx::store_commit();
    }
  }
}

/// The same element by element: any strides, and everything that may become of a sum.
template <class Tile>
__device__ __forceinline__ void store_int8_elements(const int8_wgmma_arguments& p,
                                                    const wgmma_position& at,
                                                    const int (&sums)[Tile::n / 2],
                                                    std::uint32_t buffers) {
  const int warpgroup = static_cast<int>(threadIdx.x) / warpgroup_threads;
  const int warp = static_cast<int>(threadIdx.x) % warpgroup_threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = at.row + (warpgroup - 1) * warpgroup_rows;
  std::int32_t* const c = static_cast<std::int32_t*>(p.frame.c_data) + at.batch * p.frame.c_batch +
                          at.part * p.frame.c_part;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + chunk % 2 * Tile::store_bytes;
    put_words(buffer, sums, chunk, 1);
    ptx::sync_group(warpgroup, warpgroup_threads);
    const index_t column = at.column + chunk * 32 + lane;
    if (column >= p.frame.n) continue;
    for (int row = warp; row < warpgroup_rows && first + row < p.frame.m; row += 4) {
      const std::uint32_t total = ptx::load_shared_word(buffer + swizzled(row, lane * 4));
      store_element(p.finish, static_cast<std::int32_t>(total), first + row, column,
                    c + (first + row) * p.frame.c_row + column * p.frame.c_column);
    }
  }
}

/// The multiplying warpgroups' part.
template <class Tile>
__device__ __forceinline__ void consume_int8(const int8_wgmma_arguments& p, std::uint32_t shared,
                                             int rank) {
  wgmma_ring<Tile> ring{shared};
  const int warpgroup = uniform(threadIdx.x / warpgroup_threads) - 1;
  const std::uint32_t buffers = shared + Tile::ring_bytes + warpgroup * 2 * Tile::store_bytes;
  const int clusters = static_cast<int>(gridDim.x) / p.frame.cluster;
  for (int tile = static_cast<int>(blockIdx.x) / p.frame.cluster; tile < p.frame.tiles;
       tile += clusters) {
    const wgmma_position at = position_of<Tile>(p.frame, tile, rank);
    int sums[Tile::n / 2];
    multiply_int8(ring, warpgroup, at.last - at.first, p.frame.cluster, sums);
    if (p.frame.c_boxes) {
      store_int8_boxes<Tile>(p, at, sums, buffers);
    } else {
      store_int8_elements<Tile>(p, at, sums, buffers);
    }
  }
  if (p.frame.c_boxes && threadIdx.x % warpgroup_threads == 0) ptx::store_wait_read<0>();
}

/// c from a and b as the arguments have it. A grid of whole clusters, at most frame.tiles of them.
template <int Warpgroups, int N>
__global__ void __launch_bounds__(warpgroup_threads*(Warpgroups + 1), 1)
    matmul_wgmma_int8_kernel(const __grid_constant__ int8_wgmma_arguments p) {
  using tile = int8_tile<Warpgroups, N>;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];
  const std::uint32_t shared = ptx::kept(ptx::shared_address(wgmma_shared));
  const int rank = p.frame.cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  ptx::let_next_kernel_start();
  open_ring<tile>(p.frame, shared);
  ptx::wait_for_prior_work();
  if (threadIdx.x < warpgroup_threads) {
    if constexpr (Warpgroups == 2) ptx::give_registers<40>();
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
      produce<tile>(p.frame, shared, rank, threadIdx.x == 0);
  } else {
    if constexpr (Warpgroups == 2) ptx::take_registers<232>();
    consume_int8<tile>(p, shared, rank);
  }
  __syncwarp();
  if (p.frame.cluster > 1) {  // no block leaves while another may still signal it
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

}  // namespace tandem::cuda_impl
