// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>

/// How a warpgroup writes its 64 rows of a tile of c: by way of buffers of 64 rows of 128 bytes in
/// shared memory, swizzled as tensor copies have it.
namespace tandem::cuda_impl {

template <tensor_type Type>
struct tensor_element;
template <>
struct tensor_element<tensor_type::bf16> {
  using type = bf16;
};
template <>
struct tensor_element<tensor_type::half> {
  using type = half;
};
template <>
struct tensor_element<tensor_type::tf32> {
  using type = float;
};

/// Two floats rounded to the type, the first in the lower half.
template <tensor_type Type>
__device__ __forceinline__ std::uint32_t packed(float first, float second) {
  if constexpr (Type == tensor_type::bf16) {
    return ptx::pack_bf16(first, second);
  } else {
    return ptx::pack_half(first, second);
  }
}

/// 64 columns from 2 * `Offset`.. of the sums into a buffer as 16-bit elements.
template <tensor_type Type, int Count>
__device__ __forceinline__ void put_halves(std::uint32_t buffer, const float (&sums)[Count],
                                           int chunk, float alpha) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int row = thread / 32 * 16 + thread % 16;
  const int piece = thread % 32 / 16 * 16;
#pragma unroll
  for (int quarter = 0; quarter < 4; ++quarter) {
    const float* s = &sums[chunk * 32 + quarter * 8];
    std::uint32_t x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = packed<Type>(alpha * s[2 * i], alpha * s[2 * i + 1]);
    ptx::store_matrices(buffer + swizzled(row, quarter * 32 + piece), x);
  }
}

/// 32 columns of the sums into a buffer as floats.
template <int Count>
__device__ __forceinline__ void put_floats(std::uint32_t buffer, const float (&sums)[Count],
                                           int chunk, float alpha) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int row = thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float* s = &sums[chunk * 16 + i * 4];
    const int byte = i * 32 + thread % 4 * 8;
    ptx::store_shared(buffer + swizzled(row, byte), alpha * s[0], alpha * s[1]);
    ptx::store_shared(buffer + swizzled(row + 8, byte), alpha * s[2], alpha * s[3]);
  }
}

/// 32 columns of the sums into a buffer as floats, rows contiguous: two boxes of 32 of them.
template <int Count>
__device__ __forceinline__ void put_columns(std::uint32_t buffer, const float (&sums)[Count],
                                            int chunk, float alpha) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int row = thread / 32 * 16 + thread % 32 / 4;
  const std::uint32_t box = buffer + row / 32 * (32 * wgmma_row_bytes);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
    const int inside = row % 32 + i % 4 / 2 * 8;
    ptx::store_shared(box + swizzled(column, inside * 4), alpha * sums[chunk * 16 + i]);
  }
}

/// The tile by tensor copies to a c whose columns are contiguous.
template <class Tile>
__device__ __forceinline__ void store_column_boxes(const wgmma_arguments& p,
                                                   const wgmma_position& at,
                                                   const float (&sums)[Tile::n / 2],
                                                   std::uint32_t buffers, int used) {
  const int warpgroup = threadIdx.x / warpgroup_threads;
  const bool leads = threadIdx.x % warpgroup_threads == 0;
  const int z = at.part * p.batch + at.batch;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + (used + chunk) % Tile::store_buffers * Tile::store_bytes;
    // The copy that used this buffer last has left it.
    if (leads) ptx::tma_store_wait_read<Tile::store_buffers - 1>();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    put_columns(buffer, sums, chunk, p.finish.alpha);
    ptx::fence_async_proxy();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    if (leads) {
      ptx::tma_store(p.c, buffer, at.row, at.column + chunk * 32, z);
      ptx::tma_store(p.c, buffer + Tile::store_bytes / 2, at.row + 32, at.column + chunk * 32, z);
      ptx::tma_store_commit();
    }
  }
}

/// The tile by tensor copies, which run on while the next tile is multiplied.
template <class Tile, bool Floats>
__device__ __forceinline__ void store_boxes(const wgmma_arguments& p, const wgmma_position& at,
                                            const float (&sums)[Tile::n / 2], std::uint32_t buffers,
                                            int used) {
  constexpr int width = Floats ? 32 : 64;
  const int warpgroup = threadIdx.x / warpgroup_threads;
  const bool leads = threadIdx.x % warpgroup_threads == 0;
  const int z = at.part * p.batch + at.batch;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / width; ++chunk) {
    const std::uint32_t buffer = buffers + (used + chunk) % Tile::store_buffers * Tile::store_bytes;
    // The copy that used this buffer last has left it.
    if (leads) ptx::tma_store_wait_read<Tile::store_buffers - 1>();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    if constexpr (Floats) {
      put_floats(buffer, sums, chunk, p.finish.alpha);
    } else {
      put_halves<Tile::type>(buffer, sums, chunk, p.finish.alpha);
    }
    ptx::fence_async_proxy();
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    if (leads) {
      ptx::tma_store(p.c, buffer, at.column + chunk * width, at.row, z);
      ptx::tma_store_commit();
    }
  }
}

/// Stores 64 x 32 totals of a buffer in c, a row a warp at a time, times a factor.
template <class T>
__device__ __forceinline__ void copy_buffer(const wgmma_arguments& p, T* c, std::uint32_t buffer,
                                            int first_row, int column) {
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
      if (row + 4 * i < rows) *to = static_cast<T>(p.finish.alpha * x[i]);
  }
}

/// Finishes 64 x 32 totals of a buffer, a row a warp at a time, and stores them in c.
template <class T>
__device__ __forceinline__ void finish_buffer(const wgmma_arguments& p, T* c, std::uint32_t buffer,
                                              int first_row, int column) {
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

/// The tile element by element: any strides, and everything that may become of a total.
template <class Tile>
__device__ __forceinline__ void store_elements(const wgmma_arguments& p, const wgmma_position& at,
                                               const float (&sums)[Tile::n / 2],
                                               std::uint32_t buffers, int used) {
  using Element = typename tensor_element<Tile::type>::type;
  const int warpgroup = threadIdx.x / warpgroup_threads;
  const index_t offset = at.batch * p.c_batch + at.part * p.c_slice;
#pragma unroll
  for (int chunk = 0; chunk < Tile::n / 32; ++chunk) {
    const std::uint32_t buffer = buffers + (used + chunk) % Tile::store_buffers * Tile::store_bytes;
    // With two buffers, all have left this one when they met at the other.
    if (Tile::store_buffers == 1) ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    put_floats(buffer, sums, chunk, 1.0f);
    ptx::named_barrier_sync(warpgroup, warpgroup_threads);
    const int column = at.column + chunk * 32 + static_cast<int>(threadIdx.x) % 32;
    if (p.c_float) {
      finish_buffer(p, static_cast<float*>(p.c_data) + offset, buffer, at.row, column);
    } else if constexpr (Tile::type != tensor_type::tf32) {
      finish_buffer(p, static_cast<Element*>(p.c_data) + offset, buffer, at.row, column);
    }
  }
}

/// The few totals of a thread of a narrow tile, each where it lies in c, without a detour.
template <class T, int Count>
__device__ __forceinline__ void store_fragments(const wgmma_arguments& p,
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

/// store_fragments for the type of c.
template <class Tile>
__device__ __forceinline__ void store_narrow(const wgmma_arguments& p, const wgmma_position& at,
                                             const float (&sums)[Tile::n / 2]) {
  using Element = typename tensor_element<Tile::type>::type;
  const index_t offset = at.batch * p.c_batch + at.part * p.c_slice;
  if (p.c_float)
    return store_fragments(p, sums, static_cast<float*>(p.c_data) + offset, at.row, at.column);
  if constexpr (Tile::type != tensor_type::tf32)
    store_fragments(p, sums, static_cast<Element*>(p.c_data) + offset, at.row, at.column);
}

/// Writes 64 x N totals of a warpgroup, whose first row and column `at` has.
template <class Tile>
__device__ __forceinline__ void store_tile(const wgmma_arguments& p, const wgmma_position& at,
                                           const float (&sums)[Tile::n / 2], std::uint32_t buffers,
                                           int strip = 0) {
  if constexpr (Tile::n == 32) {
    if (!p.c_boxes) return store_narrow<Tile>(p, at, sums);
  } else {
    if (!p.c_boxes) return store_elements<Tile>(p, at, sums, buffers, strip * (Tile::n / 32));
  }
  if constexpr (Tile::type == tensor_type::tf32) {
    if (p.c_columns) return store_column_boxes<Tile>(p, at, sums, buffers, strip * (Tile::n / 32));
  }
  if (p.c_float) return store_boxes<Tile, true>(p, at, sums, buffers, strip * (Tile::n / 32));
  if constexpr (Tile::type != tensor_type::tf32 && Tile::n >= 64)
    store_boxes<Tile, false>(p, at, sums, buffers, strip * (Tile::n / 64));
}

}  // namespace tandem::cuda_impl
