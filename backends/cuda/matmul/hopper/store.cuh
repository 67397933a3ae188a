// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/staging.cuh>

/// How a warpgroup writes its 64 rows of a tile of c through buffers in shared memory: with tensor
/// copies if possible, otherwise element by element.
namespace tandem::cuda_impl {

/// The element type of a c that has the operands' 16-bit type.
template <class Tile>
using tensor_element = std::conditional_t<Tile::type == tensor_type::bf16, bf16, half>;

/// Writes the tile with tensor copies, which overlap the products of the next tile. `stage` writes
/// `Width` columns of the sums into a buffer; if `columns`, they are two TMA tiles of 32 rows.
template <class Tile, int Width, class Sum, class Stage>
__device__ __forceinline__ void store_by_tma(const wgmma_arguments<Sum>& p,
                                             const wgmma_position& at, std::uint32_t buffers,
                                             int strip, bool columns, const Stage& stage,
                                             int warpgroup = threadIdx.x / warpgroup_threads) {
  constexpr int chunks = Tile::n / Width;
  const bool leads = threadIdx.x % warpgroup_threads == 0;
  const int z = at.slice * p.batch + at.batch;
#pragma unroll
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const std::uint32_t buffer =
        buffers + (strip * chunks + chunk) % Tile::store_buffers * Tile::store_bytes;
    // The copy that last used this buffer has read it.
    if (leads) ptx::tma_store_wait_read<Tile::store_buffers - 1>();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    stage(buffer, chunk);
    ptx::fence_async_proxy();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    if (!leads) continue;
    const int column = at.column + chunk * Width;
    ptx::tma_store(p.c, buffer, columns ? at.row : column, columns ? column : at.row, z);
    if (columns) ptx::tma_store(p.c, buffer + Tile::store_bytes / 2, at.row + 32, column, z);
    ptx::tma_store_commit();
  }
}

/// Stores 64 x 32 totals from a buffer to c, times a factor, one row per warp at a time.
template <class T>
__device__ __forceinline__ void copy_buffer(const wgmma_arguments<float>& p, T* c,
                                            std::uint32_t buffer, int first_row, int column) {
  if (column >= p.n) return;
  constexpr int ahead = 4;  // rows that are read before the first is written
  const int warp = threadIdx.x % warpgroup_threads / 32;
  const int rows = p.m - first_row;
  T* to = c + column * p.c_column + (first_row + warp) * p.c_row;
#pragma unroll 1
  for (int row = warp; row < warpgroup_rows && row < rows; row += 4 * ahead) {
    float x[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i)
      x[i] = ptx::load_shared<float>(buffer + swizzled(row + 4 * i, threadIdx.x % 32 * 4));
#pragma unroll
    for (int i = 0; i < ahead; ++i, to += 4 * p.c_row)
      if (row + 4 * i < rows) *to = ptx::convert<T>(p.finish.alpha * x[i]);
  }
}

/// Finishes 64 x 32 totals from a buffer and stores them in c, one row per warp at a time.
template <class T>
__device__ __forceinline__ void finish_buffer(const wgmma_arguments<float>& p, T* c,
                                              std::uint32_t buffer, int first_row, int column) {
  if (!p.finish.reads_c() && !p.finish.has_epilogue())
    return copy_buffer(p, c, buffer, first_row, column);
  if (column >= p.n) return;
  const int warp = threadIdx.x % warpgroup_threads / 32;
  c += column * p.c_column;
  for (int row = warp; row < warpgroup_rows && first_row + row < p.m; row += 4) {
    const float total = ptx::load_shared<float>(buffer + swizzled(row, threadIdx.x % 32 * 4));
    store_element(p.finish, total, first_row + row, column, c + (first_row + row) * p.c_row);
  }
}

/// Writes the tile element by element. Supports any strides and any finish.
template <class Tile>
__device__ __forceinline__ void store_elements(const wgmma_arguments<float>& p,
                                               const wgmma_position& at,
                                               const float (&sums)[Tile::sums],
                                               std::uint32_t buffers, int used) {
  const int warpgroup = threadIdx.x / warpgroup_threads;
  const index_t offset = at.batch * p.c_batch + at.slice * p.c_slice;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + (used + chunk) % Tile::store_buffers * Tile::store_bytes;
    // With two buffers, the other buffer's barrier guarantees that this one is free.
    if (Tile::store_buffers == 1) ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    stage_floats(buffer, sums, chunk, 1.0f);
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    const int column = at.column + chunk * 32 + static_cast<int>(threadIdx.x) % 32;
    if (p.c_has_sums) {
      finish_buffer(p, static_cast<float*>(p.c_data) + offset, buffer, at.row, column);
    } else if constexpr (Tile::has_16_bits) {
      finish_buffer(p, static_cast<tensor_element<Tile>*>(p.c_data) + offset, buffer, at.row,
                    column);
    }
  }
}

/// Writes the tile of integers element by element. A warp writes 32 adjacent elements of a row at a
/// time or, if `columns`, of a column of c.
template <class Tile>
__device__ __forceinline__ void store_elements(const wgmma_arguments<std::int32_t>& p,
                                               const wgmma_position& at,
                                               const std::int32_t (&sums)[Tile::sums],
                                               std::uint32_t buffers, int warpgroup, bool columns,
                                               int thread) {
  const int warp = thread / 32;
  const int lane = thread % 32;
  std::int32_t* const c =
      static_cast<std::int32_t*>(p.c_data) + at.batch * p.c_batch + at.slice * p.c_slice;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + chunk % Tile::store_buffers * Tile::store_bytes;
    if constexpr (Tile::store_buffers == 1) ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    stage_integers<Tile>(buffer, sums, chunk, 1, columns, thread);
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
#pragma unroll 1
    for (int line = warp; line < warpgroup_rows; line += 4) {
      const int row = at.row + (columns ? line / 32 * 32 + lane : line);
      const int column = at.column + chunk * 32 + (columns ? line % 32 : lane);
      if (row >= p.m || column >= p.n) continue;
      const auto total = ptx::load_shared<std::uint32_t>(buffer + swizzled(line, lane * 4));
      store_element(p.finish, static_cast<std::int32_t>(total), row, column,
                    c + row * p.c_row + column * p.c_column);
    }
  }
}

/// Stores a thread's few totals of a narrow tile directly to c, bypassing shared memory.
template <class T, int Count>
__device__ __forceinline__ void store_fragments(const wgmma_arguments<float>& p,
                                                const float (&sums)[Count], T* c, int first_row,
                                                int first_column) {
  const int thread = threadIdx.x % warpgroup_threads;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
    const int column = first_column + i / 4 * 8 + thread % 4 * 2 + i % 2;
    if (row >= p.m || column >= p.n) continue;
    store_element(p.finish, sums[i], row, column, c + row * p.c_row + column * p.c_column);
  }
}

/// Stores the fragments in the type of c.
template <class Tile>
__device__ __forceinline__ void store_narrow(const wgmma_arguments<float>& p,
                                             const wgmma_position& at,
                                             const float (&sums)[Tile::sums]) {
  const index_t offset = at.batch * p.c_batch + at.slice * p.c_slice;
  if (p.c_has_sums)
    return store_fragments(p, sums, static_cast<float*>(p.c_data) + offset, at.row, at.column);
  if constexpr (Tile::has_16_bits) {
    store_fragments(p, sums, static_cast<tensor_element<Tile>*>(p.c_data) + offset, at.row,
                    at.column);
  }
}

/// Writes a warpgroup's 64 x N totals in float; `at` holds their first row and column.
template <class Tile>
__device__ __forceinline__ void store_tile(const wgmma_arguments<float>& p,
                                           const wgmma_position& at,
                                           const float (&sums)[Tile::sums], std::uint32_t buffers,
                                           int strip) {
  if constexpr (Tile::n == 32) {
    if (!p.c_by_tma) return store_narrow<Tile>(p, at, sums);
  } else {
    if (!p.c_by_tma) return store_elements<Tile>(p, at, sums, buffers, strip * (Tile::n / 32));
  }
  if constexpr (Tile::type == tensor_type::tf32) {
    if (p.c_columns) {
      return store_by_tma<Tile, 32>(p, at, buffers, strip, true, [&](auto buffer, int i) {
        stage_float_columns(buffer, sums, i, p.finish.alpha);
      });
    }
  }
  if (p.c_has_sums) {
    return store_by_tma<Tile, 32>(p, at, buffers, strip, false, [&](auto buffer, int i) {
      stage_floats(buffer, sums, i, p.finish.alpha);
    });
  }
  if constexpr (Tile::has_16_bits && Tile::n >= 64) {
    store_by_tma<Tile, 64>(p, at, buffers, strip, false, [&](auto buffer, int i) {
      stage_16_bits<Tile::type>(buffer, sums, i, p.finish.alpha);
    });
  }
}

/// Writes a warpgroup's 64 x N sums of integers; `at` holds the block's first row and column.
/// Writes along columns of c if a's rows are contiguous and c_columns is set.
template <class Tile>
__device__ __forceinline__ void store_tile(const wgmma_arguments<std::int32_t>& p,
                                           const wgmma_position& at,
                                           const std::int32_t (&sums)[Tile::sums],
                                           std::uint32_t buffers, int warpgroup) {
  wgmma_position own = at;
  own.row += warpgroup * warpgroup_rows;
  // If the compiler computed these offsets once for all tiles, they would take registers from the
  // products.
  const int thread = ptx::optimization_barrier(static_cast<int>(threadIdx.x)) % warpgroup_threads;
  const bool columns = !Tile::a_k_major && p.c_columns;
  if (p.c_by_tma) {
    store_by_tma<Tile, 32>(
        p, own, buffers, 0, columns,
        [&](std::uint32_t buffer, int chunk) {
          stage_integers<Tile>(buffer, sums, chunk, p.finish.alpha, columns, thread);
        },
        warpgroup + 1);
  } else {
    store_elements<Tile>(p, own, sums, buffers, warpgroup + 1, columns, thread);
  }
}

}  // namespace tandem::cuda_impl
