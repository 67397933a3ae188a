// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/element_type.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <algorithm>
#include <cstddef>

/// How the kernels for few rows divide a product: b is copied to shared memory once for all rows,
/// at the speed of memory. Tuning as data, tested on the host.
namespace tandem::cuda_impl {

/// Most rows of a. With more, chains of fused multiply-adds take longer than reading b; on tensor
/// cores, the instruction has eight rows, and a block has one or two of them.
template <class T>
inline constexpr index_t few_rows = sizeof(T) == 4 ? 4 : 2;
inline constexpr index_t few_rows_tensor = 16;

/// Least bytes and columns of b, and least columns times chunks per multiprocessor for fused
/// multiply-adds. Below these, the chains take longer than reading b, and tiles run them faster.
inline constexpr double few_rows_bytes = 32e6;
inline constexpr double few_rows_tensor_bytes = 8e6;
inline constexpr index_t few_rows_columns = 1024;
inline constexpr index_t few_rows_threads = 96;

/// Columns per warp: one per thread, or the rows of the instruction's first operand.
inline constexpr int few_rows_fma_columns = 32;
inline constexpr int few_rows_tensor_columns = 16;

/// A block's most rows and its warps, and the stages whose copies it keeps in flight.
struct few_rows_tile {
  int rows;
  int warps;
  int stages;
};
inline constexpr few_rows_tile few_rows_fma_tile{4, 2, 6};

/// Shared memory of that tile at most: its stages of columns and of rows of a.
inline constexpr std::size_t few_rows_fma_shared = 6 * (4 + 2 * few_rows_fma_columns) * 128;

/// On tensor cores, if a block computes all of k: narrow blocks if that gives each
/// multiprocessor at most one, with many stages, otherwise wide ones.
inline constexpr few_rows_tile few_rows_tensor_tiles[] = {
    {8, 2, 12}, {8, 4, 4}, {16, 2, 12}, {16, 4, 4}};

/// Shared memory of the largest of these, likewise.
inline constexpr std::size_t few_rows_tensor_shared = 12 * (16 + 2 * few_rows_tensor_columns) * 256;

/// Percentage of a multiprocessor's memory for stages if single elements are copied, which pass
/// through the L1 cache that shares it.
inline constexpr int few_rows_unaligned_carveout = 60;

/// Most groups of blocks that add their chunks' totals themselves; each has a counter of the
/// stream.
inline constexpr index_t few_rows_groups = 512;

/// Number of rows that a kernel for `rows` rows computes: a power of two.
constexpr int few_rows_computed(index_t rows) { return rows <= 2 ? static_cast<int>(rows) : 4; }

/// How a block stages its columns. A stage has a few terms of all rows of a and of the block's
/// columns of b, copied `Piece` bytes at a time.
template <class In, bool Tensor, bool KMajor, int Rows, int Piece, int Warps, int Stages>
struct few_rows_policy {
  using element = In;
  static constexpr bool tensor = Tensor;
  static constexpr bool k_major = KMajor;
  static constexpr int rows = Rows;
  static constexpr int piece = Piece;
  static constexpr int stages = Stages;
  static constexpr int threads = 32 * Warps;
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int width = Piece / size;  ///< elements per piece
  static constexpr int columns = Warps * (Tensor ? few_rows_tensor_columns : few_rows_fma_columns);
  /// Bytes of k per stage. A stage of tensor cores costs about as much as its barrier, so they take
  /// more terms at a time.
  static constexpr int k_bytes = Tensor ? 256 : 128;
  static constexpr int terms = k_bytes / size;
  /// Rows of b in a stage: runs of columns along k, or of terms along n.
  static constexpr int run_bytes = KMajor ? k_bytes : columns * size;
  static constexpr int runs = KMajor ? columns : terms;
  static constexpr int a_bytes = Rows * k_bytes;
  static constexpr int stage_bytes = a_bytes + runs * run_bytes;
  static constexpr int shared_bytes = Stages * stage_bytes;
  /// Offset of a byte of a row in a stage. The number of the row permutes its 16-byte pieces, so
  /// that those that a warp loads together are in different banks.
  static TANDEM_FUNCTION constexpr int b_offset(int row, int byte) {
    constexpr int pieces = run_bytes / 16 < 8 ? run_bytes / 16 : 8;
    // Tensor cores load four terms of 32-bit elements together, and otherwise eight rows.
    const int moved = Tensor && !KMajor && size == 4 ? row * 2 : row * pieces / 8;
    return a_bytes + row * run_bytes + (byte ^ moved % pieces * 16);
  }
  static TANDEM_FUNCTION constexpr int a_offset(int row, int byte) {
    return row * k_bytes + (byte ^ (Tensor ? row % 8 * 16 : 0));
  }
};

}  // namespace tandem::cuda_impl
