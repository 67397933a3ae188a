// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/int8/multiply_a_in_registers.cuh>
#include <tandem/backends/cuda/matmul/hopper/kernel.cuh>
#include <tandem/backends/cuda/matmul/hopper/store.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// Matmul of 8-bit integers on Hopper: the frame of matmul_wgmma.cuh, with sums and results of 32
/// bits. b is contiguous along k, which the instruction asks for; a may be contiguous along its
/// rows, then it comes by way of registers.
namespace tandem::cuda_impl {

/// A tile of c of 64 * Warpgroups x N elements and the ring of stages that feeds it. AKMajor: a is
/// contiguous along k, else along its rows.
template <int Warpgroups, int N, bool AKMajor>
struct int8_tile {
  static constexpr int warpgroups = Warpgroups;
  static constexpr int m = warpgroup_rows * Warpgroups;
  static constexpr int n = N;
  static constexpr bool a_k_major = AKMajor;
  static constexpr bool b_k_major = true;
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
  tandem::detail::element_epilogue<std::int32_t> finish;
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
      ptx::wgmma<ptx::wgmma_int8>(sums, a + step * 2, b + step * 2, block > 0 || step > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    if (previous >= 0) release(ring, previous, cluster);
    previous = ring.stage;
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::optimization_barrier(sums);
  if (previous >= 0) release(ring, previous, cluster);
}

/// Whether a tile is written along columns of c: where a's rows are contiguous and come first.
template <class Tile>
__device__ __forceinline__ bool writes_columns(const int8_wgmma_arguments& p) {
  return !Tile::a_k_major && p.frame.c_columns;
}

/// 32 columns of the sums, times alpha, into a buffer: 64 rows of 32 columns, or, `columns`, two
/// boxes of 32 columns of 32 rows, whose lines are swizzled alike. By registers a thread's two rows
/// are neighbours.
template <class Tile>
__device__ __forceinline__ void put_words(std::uint32_t buffer, const int (&sums)[Tile::n / 2],
                                          int chunk, int alpha, bool columns) {
  const int thread = static_cast<int>(threadIdx.x) % warpgroup_threads;
  const int pair = thread % 32 / 4;
  const int row = thread / 32 * 16 + (Tile::a_k_major ? pair : 2 * pair);
  const int column = thread % 4 * 2;
  // Kept: places that the compiler finds once for all tiles would take registers from the products.
  const std::uint32_t first =
      ptx::optimization_barrier(buffer + (columns ? swizzled(row / 32 * 32 + column, row % 32 * 4)
                                                  : swizzled(row, column * 4)));
  const auto scaled = [alpha](int x) {
    return static_cast<std::uint32_t>(tandem::detail::multiply_add(alpha, x, 0));
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int* const s = &sums[chunk * 16 + i * 4];
    // 8 columns on: 8 lines, or 32 bytes of a line, of which swizzling swaps pieces of 16.
    const std::uint32_t line = columns ? first + i * 8 * wgmma_row_bytes : first ^ i * 32;
    const std::uint32_t next =
        Tile::a_k_major ? line + 8 * wgmma_row_bytes : (line + wgmma_row_bytes) ^ 16;
    ptx::store_shared(line, scaled(s[0]), scaled(columns ? s[2] : s[1]));
    ptx::store_shared(next, scaled(columns ? s[1] : s[2]), scaled(s[3]));
  }
}

/// A warpgroup's 64 x N sums by tensor copies, which run on while the next tile is multiplied.
template <class Tile>
__device__ __forceinline__ void store_int8_boxes(const int8_wgmma_arguments& p,
                                                 const wgmma_position& at, int warpgroup,
                                                 const int (&sums)[Tile::n / 2],
                                                 std::uint32_t buffers) {
  const bool leads = threadIdx.x % warpgroup_threads == 0;
  const int row = at.row + warpgroup * warpgroup_rows;
  const int z = at.part * p.frame.batch + at.batch;
  const bool columns = writes_columns<Tile>(p);
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + chunk % 2 * Tile::store_bytes;
    const int column = at.column + chunk * 32;
    if (leads) ptx::tma_store_wait_read<1>();  // the copy before the last has left this buffer
    ptx::named_barrier_sync(warpgroup + 1, warpgroup_threads);
    put_words<Tile>(buffer, sums, chunk, p.finish.alpha, columns);
    ptx::fence_async_proxy();
    ptx::named_barrier_sync(warpgroup + 1, warpgroup_threads);
    if (!leads) continue;
    ptx::tma_store(p.frame.c, buffer, columns ? row : column, columns ? column : row, z);
    if (columns) ptx::tma_store(p.frame.c, buffer + Tile::store_bytes / 2, row + 32, column, z);
    ptx::tma_store_commit();
  }
}

/// The same element by element: any strides, and everything that may become of a sum. A warp takes
/// 32 neighbours of a row or column of c at a time.
template <class Tile>
__device__ __forceinline__ void store_int8_elements(const int8_wgmma_arguments& p,
                                                    const wgmma_position& at, int warpgroup,
                                                    const int (&sums)[Tile::n / 2],
                                                    std::uint32_t buffers) {
  const int thread = ptx::optimization_barrier(static_cast<int>(threadIdx.x)) % warpgroup_threads;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int first = at.row + warpgroup * warpgroup_rows;
  const bool columns = writes_columns<Tile>(p);
  std::int32_t* const c = static_cast<std::int32_t*>(p.frame.c_data) + at.batch * p.frame.c_batch +
                          at.part * p.frame.c_slice;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + chunk % 2 * Tile::store_bytes;
    // With two chunks and more, all have left this buffer when they met at the other.
    if constexpr (Tile::n == 32) ptx::named_barrier_sync(warpgroup + 1, warpgroup_threads);
    put_words<Tile>(buffer, sums, chunk, 1, columns);
    ptx::named_barrier_sync(warpgroup + 1, warpgroup_threads);
#pragma unroll 1
    for (int line = warp; line < warpgroup_rows; line += 4) {
      const int row = first + (columns ? line / 32 * 32 + lane : line);
      const int column = at.column + chunk * 32 + (columns ? line % 32 : lane);
      if (row >= p.frame.m || column >= p.frame.n) continue;
      const std::uint32_t total =
          ptx::load_shared<std::uint32_t>(buffer + swizzled(line, lane * 4));
      store_element(p.finish, static_cast<std::int32_t>(total), row, column,
                    c + row * p.frame.c_row + column * p.frame.c_column);
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
    const int blocks = at.last - at.first;
    if constexpr (Tile::a_k_major) {
      multiply_int8(ring, warpgroup, blocks, p.frame.cluster, sums);
    } else {
      multiply_int8_by_registers(ring, warpgroup, blocks, p.frame.cluster, sums);
    }
    if (p.frame.c_boxes) {
      store_int8_boxes<Tile>(p, at, warpgroup, sums, buffers);
    } else {
      store_int8_elements<Tile>(p, at, warpgroup, sums, buffers);
    }
  }
  if (p.frame.c_boxes && threadIdx.x % warpgroup_threads == 0) ptx::tma_store_wait_read<0>();
}

/// c from a and b as the arguments have it. A grid of whole clusters, at most frame.tiles of them.
template <int Warpgroups, int N, bool AKMajor>
__global__ void __launch_bounds__(warpgroup_threads*(Warpgroups + 1), 3 - Warpgroups)
    matmul_wgmma_int8_kernel(const __grid_constant__ int8_wgmma_arguments p) {
  using tile = int8_tile<Warpgroups, N, AKMajor>;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];
  const std::uint32_t shared = ptx::optimization_barrier(ptx::shared_address(wgmma_shared));
  const int rank = p.frame.cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  ptx::launch_dependents();
  open_ring<tile>(p.frame, shared);
  ptx::wait_for_prior_work();
  if (threadIdx.x < warpgroup_threads) {
    if constexpr (Warpgroups == 2) ptx::decrease_registers<40>();
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
      produce<tile>(p.frame, shared, rank, threadIdx.x == 0);
  } else {
    if constexpr (Warpgroups == 2) ptx::increase_registers<232>();
    consume_int8<tile>(p, shared, rank);
  }
  __syncwarp();
  if (p.frame.cluster > 1) {  // no block leaves while another may still signal it
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

}  // namespace tandem::cuda_impl
