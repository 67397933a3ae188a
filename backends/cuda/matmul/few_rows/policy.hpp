// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

/// How the kernels for few rows divide a product: each thread has one column of b, so that b is
/// read once for all rows, at the speed of memory. Tuning as data, tested on the host.
namespace tandem::cuda_impl {

/// Most rows of a. With more, a thread's registers hold too little of b to hide its latency, and
/// tiles in shared memory are faster.
template <class T>
inline constexpr index_t few_rows = sizeof(T) == 4 ? 4 : 2;

/// Least bytes and columns of b, and least threads per multiprocessor. Below these, the chains take
/// longer than reading b, and tiles run them faster.
inline constexpr double few_rows_bytes = 32e6;
inline constexpr index_t few_rows_columns = 1024;
inline constexpr index_t few_rows_threads = 96;

/// Warps per block, 32 columns each, which share rows of a.
inline constexpr int few_rows_warps = 4;
inline constexpr index_t few_rows_block = 32 * few_rows_warps;

/// Most groups of blocks that add their chunks' totals themselves; each has a counter of the
/// stream.
inline constexpr index_t few_rows_groups = 256;

/// Number of rows that a kernel for `rows` rows computes: a power of two.
constexpr int few_rows_computed(index_t rows) { return rows <= 2 ? static_cast<int>(rows) : 4; }

/// What a thread loads ahead, and what its block keeps in shared memory.
template <class T, bool KMajor, int Rows>
struct few_rows_policy {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int width = 16 / size;  ///< elements that move as 16 bytes
  /// Of a column per batch of loads. The sums of more rows leave fewer registers.
  static constexpr int terms = (Rows <= 2 ? 128 : 64) / size;
  /// Per thread, in registers. The exchange of doubles takes so long that more must be on the way.
  static constexpr int batches = KMajor && size == 8 ? 4 : 2;
  static constexpr int min_blocks_per_sm = 8 / batches;  ///< limits the registers per thread
  /// If b is contiguous along k (KMajor), a warp loads runs of `terms` terms and exchanges them in
  /// shared memory. 16 bytes of padding put the same term of 8 columns in different banks.
  static constexpr int pitch = terms + width;
  static constexpr int a_bytes = Rows * matmul_chunk * size;  ///< a chunk of a's rows
  static constexpr int warp_bytes = KMajor ? 32 * pitch * size : 0;
  static constexpr int shared_bytes = a_bytes + few_rows_warps * warp_bytes;

  static_assert(matmul_chunk % (batches * terms) == 0);
  static_assert(shared_bytes <= 49152);
};

}  // namespace tandem::cuda_impl
