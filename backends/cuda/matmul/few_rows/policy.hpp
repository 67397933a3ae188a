// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

/// How the kernels for few rows divide a product: each thread has one column of b, so that b is
/// read once for all rows, at the speed of memory. Tuning as data, tested on the host.
namespace tandem::cuda_impl {

/// Most rows of a. With more, tiles in shared memory multiply faster than b can be read.
inline constexpr index_t few_rows = 8;

/// Fewest bytes of b, which are worth a kernel of their own, and fewest columns: a thread without a
/// column reads nothing.
inline constexpr double few_rows_bytes = 1e6;
inline constexpr index_t few_rows_columns = 32;

/// Most warps per block, 32 columns each. Fewer spread few columns over more multiprocessors.
inline constexpr int few_rows_warps = 4;

/// Most groups of blocks that add their chunks' totals themselves; each has a counter of the
/// stream.
inline constexpr index_t few_rows_groups = 256;

/// Number of rows that a kernel for `rows` rows computes: a power of two.
constexpr int few_rows_computed(index_t rows) {
  return rows <= 1 ? 1 : rows <= 2 ? 2 : rows <= 4 ? 4 : 8;
}

/// What a thread loads ahead, and what its block keeps in shared memory.
template <class T, bool KMajor, int Rows>
struct few_rows_policy {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int width = 16 / size;  ///< elements that move as 16 bytes
  /// Of a column per batch of loads. The sums of more rows leave fewer registers.
  static constexpr int terms = (Rows <= 2 ? 128 : 64) / size;
  static constexpr int batches = 2;  ///< per thread, in registers
  /// Terms of a in shared memory at a time: a whole chunk, or as much as 32 KiB hold.
  static constexpr int staged =
      Rows * matmul_chunk * size <= 32768 ? matmul_chunk : 32768 / (Rows * size);
  /// If b is contiguous along k (KMajor), a warp loads runs of `terms` terms and exchanges them in
  /// shared memory. 16 bytes of padding put the same term of 8 columns in different banks.
  static constexpr int pitch = terms + width;
  static constexpr int a_bytes = Rows * staged * size;
  static constexpr int warp_bytes = KMajor ? 32 * pitch * size : 0;

  static constexpr int shared_bytes(int warps) { return a_bytes + warps * warp_bytes; }
  static_assert(matmul_chunk % staged == 0 && staged % (batches * terms) == 0);
  static_assert(a_bytes + few_rows_warps * warp_bytes <= 65536);
};

}  // namespace tandem::cuda_impl
