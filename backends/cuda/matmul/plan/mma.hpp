// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstddef>
#include <cstdint>

/// How a product runs on the tensor cores by mma.sync, the instruction that every architecture
/// since Turing has. Plain C++, tested on the host. No choice made here changes a bit of the
/// result.
namespace tandem::cuda_impl {

/// How an operand is copied to shared memory.
enum class mma_access : unsigned char {
  k_major_vectorized,   ///< terms of k are contiguous: 16 aligned bytes at a time
  mn_major_vectorized,  ///< rows of a (columns of b) are: 16 aligned bytes at a time; 16-bit types
  k_major,              ///< element by element, neighbouring lanes along k
  mn_major              ///< element by element, neighbouring lanes along rows of a (columns of b)
};

/// How a block of the mma kernels cuts its work: m x n elements of c, by a grid of warps_m x
/// warps_n warps, in steps of step_bytes of k that are copied `stages` - 1 steps ahead.
struct mma_tile {
  int m = 0;
  int n = 0;
  int warps_m = 0;
  int warps_n = 0;
  int stages = 0;
  int min_blocks_per_sm =
      0;  ///< blocks that share a multiprocessor: bounds the registers of a thread

  TANDEM_FUNCTION constexpr int threads() const { return 32 * warps_m * warps_n; }

  /// Bytes of one operand's step in shared memory: rows of step_bytes, or as many terms of 16 bits
  /// each by `outer` of them. 16 bytes lie between, so that the 8 rows that an ldmatrix reads at a
  /// time are in different banks.
  TANDEM_FUNCTION static constexpr int operand_bytes(int outer) {
    const int rows = outer * terms_pitch;
    const int terms = step_bytes / 2 * outer_pitch(outer);
    return rows > terms ? rows : terms;
  }
  TANDEM_FUNCTION static constexpr int outer_pitch(int outer) { return 2 * outer + 16; }

  TANDEM_FUNCTION constexpr int stage_bytes() const { return operand_bytes(m) + operand_bytes(n); }

  /// Elements from one row to the next of the finished tile, of 4-byte sums: 8 more than it has, so
  /// that the 8 bytes of half a warp's fragments are in different banks.
  TANDEM_FUNCTION constexpr int sum_pitch() const { return n + 8; }

  /// Shared memory of a block: the stages, in which the finished tile has room too.
  TANDEM_FUNCTION constexpr std::size_t shared_bytes() const {
    const int pipeline = stages * stage_bytes();
    const int sums = m * sum_pitch() * 4;
    return static_cast<std::size_t>(pipeline > sums ? pipeline : sums);
  }

  static constexpr int step_bytes = 64;                ///< of k in one step: 32 terms of 16 bits
  static constexpr int terms_pitch = step_bytes + 16;  ///< bytes from row to row
};

/// Tiles, largest first. A warp of the first holds 64 x 64 elements, 128 registers a lane: less
/// would be bound by reading shared memory.
inline constexpr mma_tile mma_tiles[] = {
    {.m = 128, .n = 128, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 2},
    {.m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 4},
};

/// How a problem is computed by mma.sync.
struct mma_plan {
  int tile = 0;  ///< index into mma_tiles
  mma_access a = mma_access::k_major;
  mma_access b = mma_access::k_major;
  index_t chunk = 0;  ///< terms of k that the instruction sums before totals are added
};

/// The access for an operand of `outer` rows (columns) by k terms, `batch` times.
template <class In>
mma_access choose_mma_access(const In* data, index_t outer, index_t outer_stride, index_t k,
                             index_t k_stride, index_t batch, index_t batch_stride) {
  constexpr index_t width = 16 / static_cast<index_t>(sizeof(In));
  const bool based =
      reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (batch == 1 || batch_stride % width == 0);
  if (based && k_stride == 1 && (outer == 1 || outer_stride % width == 0))
    return mma_access::k_major_vectorized;
  if (sizeof(In) == 2 && based && outer_stride == 1 && (k == 1 || k_stride % width == 0))
    return mma_access::mn_major_vectorized;
  const index_t k_step = k_stride < 0 ? -k_stride : k_stride;
  const index_t outer_step = outer_stride < 0 ? -outer_stride : outer_stride;
  return outer > 1 && outer_step < k_step ? mma_access::mn_major : mma_access::k_major;
}

/// The plan for a device of so many multiprocessors whose blocks may have `block_shared` bytes of
/// shared memory.
///
/// @param chunk  terms that are summed in one go, a function of k alone
template <class T, class In>
mma_plan plan_mma(const matmul_problem<T, In>& p, index_t chunk, index_t parts, int multiprocessors,
                  std::size_t block_shared) {
  const auto blocks = [&](const mma_tile& tile) {
    return (p.m + tile.m - 1) / tile.m * ((p.n + tile.n - 1) / tile.n) * p.batch * parts;
  };
  // The large tile where it gives each multiprocessor a block.
  const bool large =
      mma_tiles[0].shared_bytes() <= block_shared && blocks(mma_tiles[0]) >= multiprocessors;
  return {large ? 0 : 1, choose_mma_access(p.a, p.m, p.a_row, p.k, p.a_column, p.batch, p.a_batch),
          choose_mma_access(p.b, p.n, p.b_column, p.k, p.b_row, p.batch, p.b_batch), chunk};
}

}  // namespace tandem::cuda_impl
