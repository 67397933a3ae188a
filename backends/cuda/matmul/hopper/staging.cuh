// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>
#include <tandem/core/math.hpp>

/// Stages a warpgroup's sums on their way to c, in a buffer of 64 rows of 128 bytes in shared
/// memory that is swizzled as tensor copies expect.
namespace tandem::cuda_impl {

/// Rounds two floats to the type, the first in the lower half.
template <tensor_type Type>
__device__ __forceinline__ std::uint32_t packed(float first, float second) {
  if constexpr (Type == tensor_type::bf16) {
    return ptx::pack_bf16(first, second);
  } else {
    return ptx::pack_half(first, second);
  }
}

/// Writes 64 columns of the sums, times alpha, into a buffer as 16-bit elements.
template <tensor_type Type, int Count>
__device__ __forceinline__ void stage_16_bits(std::uint32_t buffer, const float (&sums)[Count],
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

/// Writes 32 columns of the sums, times alpha, into a buffer as floats.
template <int Count>
__device__ __forceinline__ void stage_floats(std::uint32_t buffer, const float (&sums)[Count],
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

/// Writes 32 columns of the sums, times alpha, into a buffer as floats with contiguous columns: two
/// TMA tiles of 32 rows.
template <int Count>
__device__ __forceinline__ void stage_float_columns(std::uint32_t buffer,
                                                    const float (&sums)[Count], int chunk,
                                                    float alpha) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int row = thread / 32 * 16 + thread % 32 / 4;
  const std::uint32_t tile = buffer + row / 32 * (32 * tma_row_bytes);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
    const int inside = row % 32 + i % 4 / 2 * 8;
    ptx::store_shared(tile + swizzled(column, inside * 4), alpha * sums[chunk * 16 + i]);
  }
}

/// Writes 32 columns of the sums, times alpha, into a buffer: 64 rows of 32 columns or, if
/// `columns`, two TMA tiles of 32 columns of 32 rows, swizzled the same way. If a is in registers,
/// a thread's two rows are adjacent.
template <class Tile>
__device__ __forceinline__ void stage_integers(std::uint32_t buffer,
                                               const std::int32_t (&sums)[Tile::sums], int chunk,
                                               std::int32_t alpha, bool columns, int thread) {
  const int pair = thread % 32 / 4;
  const int row = thread / 32 * 16 + (Tile::a_k_major ? pair : 2 * pair);
  const int column = thread % 4 * 2;
  // If the compiler computed these offsets once for all tiles, they would take registers from the
  // products.
  const std::uint32_t first =
      ptx::optimization_barrier(buffer + (columns ? swizzled(row / 32 * 32 + column, row % 32 * 4)
                                                  : swizzled(row, column * 4)));
  const auto scaled = [alpha](std::int32_t x) {
    return static_cast<std::uint32_t>(tandem::detail::multiply_add(alpha, x, 0));
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::int32_t* const s = &sums[chunk * 16 + i * 4];
    // 8 columns further: 8 lines, or 32 bytes of a line, whose 16-byte pieces the swizzle
    // exchanges.
    const std::uint32_t line = columns ? first + i * 8 * tma_row_bytes : first ^ i * 32;
    const std::uint32_t next =
        Tile::a_k_major ? line + 8 * tma_row_bytes : (line + tma_row_bytes) ^ 16;
    ptx::store_shared(line, scaled(s[0]), scaled(columns ? s[2] : s[1]));
    ptx::store_shared(next, scaled(columns ? s[1] : s[2]), scaled(s[3]));
  }
}

}  // namespace tandem::cuda_impl
