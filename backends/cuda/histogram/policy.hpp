// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of histograms on a GPU as data, which changes no result. Plain C++, so that it is tested
/// on a machine without a GPU.
namespace tandem::cuda_impl {

struct histogram_policy {
  /// Threads per block. A multiprocessor runs one such block, so that there are few bins to merge.
  int block = 1024;
  /// Registers per thread: all that a block of 1024 threads can have.
  int registers = 64;
  /// 16-byte loads in flight per thread: with 1024 threads 64 KiB per multiprocessor, more than its
  /// share of the bandwidth needs, because counting takes time between the loads.
  static constexpr int loads = 4;
  /// Copies of a block's bins. With one per lane, no two lanes of a warp meet in a bank.
  int max_copies = 32;
  /// Elements per block and word of its copies, which have to be cleared and merged.
  index_t elements_per_word = 4;
  /// Passes over the data up to which they are faster than atomics on global memory.
  int max_slices = 6;
  /// Bytes of x per thread from which on another block is worth its merge.
  int thread_bytes = 32;
  /// Slots for a block's hot bins, at most, and the number of values from which on they pay.
  unsigned hot_slots = 8192;
  index_t hot_bins_min_size = index_t{1} << 22;
  /// One weight in this many is sampled to guess the scale, and at least `min_sample` per thread.
  index_t sample_ratio = 128;
  index_t min_sample = 8;
  /// Cells of an edge table per bin: one value in eight then meets an edge in its cell, and one in
  /// 150 meets several.
  index_t cells_per_bin = 8;
  std::size_t min_cells = 256;
  std::size_t max_cell_bytes = 64 * 1024;
  /// Bytes of shared memory that the kernels declare statically, rounded up generously.
  std::size_t static_shared_bytes = 256;
};
inline constexpr histogram_policy histograms{};

}  // namespace tandem::cuda_impl
