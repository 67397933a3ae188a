// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cstdint>

namespace tandem::cuda_impl {

/// Rows and terms that a block of int8_pack_kernel copies, and its threads.
inline constexpr int int8_pack_width = 64;
inline constexpr int int8_pack_threads = 256;

/// Words from row to row of the tile in shared memory: one more than it has, so that lanes along
/// rows and along terms are in different banks.
inline constexpr int int8_pack_pitch = int8_pack_width / 4 + 1;

/// How an operand is read: byte by byte along terms or rows, or four rows at a time.
enum class int8_pack_access : unsigned char { terms, rows, row_words };

/// The tile byte by byte, neighbouring lanes along rows or terms.
__device__ __forceinline__ void gather_bytes(const matmul_operand<std::int8_t>& source,
                                             const std::int8_t* x, index_t rows, index_t terms,
                                             bool along_rows, std::uint32_t* tile) {
  constexpr int width = int8_pack_width;
  constexpr int lines = int8_pack_threads / width;
  auto* const bytes = reinterpret_cast<std::int8_t*>(tile);
  const int lane = static_cast<int>(threadIdx.x) % width;
  const int line = static_cast<int>(threadIdx.x) / width;
  const int row = along_rows ? lane : line;
  const int term = along_rows ? line : lane;
  const int row_step = along_rows ? 0 : lines;
  const int term_step = along_rows ? lines : 0;
  x += row * source.outer_stride + term * source.k_stride;
  const index_t step = row_step * source.outer_stride + term_step * source.k_stride;
#pragma unroll
  for (int i = 0; i < width / lines; ++i) {
    const int r = row + i * row_step;
    const int t = term + i * term_step;
    bytes[r * int8_pack_pitch * 4 + t] = r < rows && t < terms ? x[i * step] : std::int8_t{0};
  }
}

/// The tile in squares of 4 rows by 4 terms, one a thread: four words along rows, transposed.
__device__ __forceinline__ void gather_words(const matmul_operand<std::int8_t>& source,
                                             const std::int8_t* x, index_t rows, index_t terms,
                                             std::uint32_t* tile) {
  constexpr int squares = int8_pack_width / 4;
  static_assert(squares * squares == int8_pack_threads);
  const int row = static_cast<int>(threadIdx.x) % squares * 4;
  const int term = static_cast<int>(threadIdx.x) / squares * 4;
  std::uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::int8_t* const word = x + row + (term + i) * source.k_stride;
    const bool exists = row < rows && term + i < terms;
    words[i] = exists ? *reinterpret_cast<const std::uint32_t*>(word) : 0;
  }
  const std::uint32_t low01 = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t low23 = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t high01 = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t high23 = __byte_perm(words[2], words[3], 0x7362);
  std::uint32_t* const target = tile + row * int8_pack_pitch + term / 4;
  target[0] = __byte_perm(low01, low23, 0x5410);
  target[int8_pack_pitch] = __byte_perm(low01, low23, 0x7632);
  target[2 * int8_pack_pitch] = __byte_perm(high01, high23, 0x5410);
  target[3 * int8_pack_pitch] = __byte_perm(high01, high23, 0x7632);
}

/// Copies an operand of `outer` rows by k terms so that terms are neighbours, a row `pitch` bytes,
/// a multiple of 16, after the one before; terms from k up to the pitch become 0. blockIdx.z is the
/// batch, blockIdx.x the tile, terms first.
__global__ void __launch_bounds__(int8_pack_threads)
    int8_pack_kernel(matmul_operand<std::int8_t> source, std::int8_t* target, index_t outer,
                     index_t k, index_t pitch, int8_pack_access access) {
  ptx::grid_dependency_wait();
  constexpr int width = int8_pack_width;
  __shared__ std::uint32_t tile[width * int8_pack_pitch];
  const index_t tiles_k = (k + width - 1) / width;
  const index_t first_row = blockIdx.x / tiles_k * width;
  const index_t first_term = blockIdx.x % tiles_k * width;
  const std::int8_t* const x = source.data + blockIdx.z * source.batch_stride +
                               first_row * source.outer_stride + first_term * source.k_stride;
  if (access == int8_pack_access::row_words) {
    gather_words(source, x, outer - first_row, k - first_term, tile);
  } else {
    gather_bytes(source, x, outer - first_row, k - first_term, access == int8_pack_access::rows,
                 tile);
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x) / 4;
  const int chunk = static_cast<int>(threadIdx.x) % 4;
  const index_t term = first_term + chunk * 16;
  if (first_row + row >= outer || term >= pitch) return;
  const std::uint32_t* const words = tile + row * int8_pack_pitch + chunk * 4;
  *reinterpret_cast<uint4*>(target + (blockIdx.z * outer + first_row + row) * pitch + term) = {
      words[0], words[1], words[2], words[3]};
}

}  // namespace tandem::cuda_impl
