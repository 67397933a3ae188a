// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>

#include <cstddef>

/// How a histogram is laid over a GPU: tuning, which changes no result. Plain C++, so that it is
/// tested without one.
namespace tandem::cuda_impl {

struct histogram_policy {
  /// Threads; a multiprocessor runs one such block, so that there are few bins to add up.
  int block = 1024;
  /// Registers of a thread: all that such a block can have.
  int registers = 64;
  /// 16-byte loads in flight a thread. With 1024 threads that is 64 KiB a multiprocessor; an H200
  /// needs 25 KiB to be busy, the rest covers the time that counting takes.
  static constexpr int loads = 4;
  /// Copies of a block's bins: with one a lane, no two lanes of a warp ever meet in a bank.
  int max_copies = 32;
  /// Elements of a block for each word of its copies, which have to be cleared and added up.
  index_t elements_per_word = 4;
  /// Passes over the data, 95 us each at 2^27, before atomics on global memory (1.3 ms) win.
  int max_slices = 6;
  /// Bytes of x that a thread is to read before another block is worth its merge.
  int thread_bytes = 32;
  /// Slots of 8 bytes for a block's hot bins, and the values from which on they pay.
  unsigned hot_slots = 8192;
  index_t hot_bins_min_size = index_t{1} << 22;
  /// Of the weights one in 128 is looked at to guess the scale, but in any case 8 a thread.
  index_t sample_ratio = 128;
  index_t min_sample = 8;
  /// With eight cells a bin one value in eight meets an edge in its cell, one in 150 two or more.
  index_t cells_of_bin = 8;
  std::size_t min_cells = 256;
  std::size_t max_cell_bytes = 64 * 1024;
};
inline constexpr histogram_policy histograms{};

/// The table of cells by which a block finds values between explicit edges.
struct edge_table {
  int last = 0;           ///< cell; one more lies behind it
  std::size_t bytes = 0;  ///< of cells and edges
};

/// @param edge_bytes  of an edge; a cell takes twice that, and at least 8
constexpr edge_table plan_edge_table(index_t bins, std::size_t edge_bytes) {
  const std::size_t cell_bytes = tandem::max(2 * edge_bytes, std::size_t{8});
  std::size_t cells = histograms.min_cells;
  while (cells < static_cast<std::size_t>(bins * histograms.cells_of_bin) &&
         2 * cells * cell_bytes <= histograms.max_cell_bytes)
    cells *= 2;
  return {static_cast<int>(cells) - 2,
          cells * cell_bytes + (static_cast<std::size_t>(bins) + 1) * edge_bytes};
}

/// What a plan depends on.
struct histogram_request {
  index_t bins = 1;
  index_t size = 0;  ///< elements of x
  std::size_t value_bytes = 4;
  std::size_t bin_bytes = 4;         ///< of one copy of a bin in shared memory
  std::size_t table_bytes = 0;       ///< of a table beside them that each block has whole
  std::size_t table_edge_bytes = 0;  ///< of each edge in a table of the edges around a block's bins
  int multiprocessors = 1;
  std::size_t block_shared = 48 * 1024;
};

/// Where the bins are while blocks count.
struct histogram_plan {
  bool shared = false;        ///< in shared memory, block by block; else in global memory
  bool table_shared = false;  ///< whether tables are, too
  unsigned slice = 0;         ///< bins that a block counts
  unsigned slices = 0;        ///< passes over x, one for each slice of the bins
  unsigned copies = 1;        ///< of each bin, a power of two; lane l adds to copy l % copies
  unsigned blocks = 1;        ///< of each slice
  unsigned slots = 0;         ///< of hot bins, of blocks that count in global memory
  std::size_t bins_bytes = 0;
  std::size_t shared_bytes = 0;
};

/// Blocks for all elements at `thread_bytes` a thread, but not more than `wave`, and not so few
/// that one block's 32-bit counts could overflow.
constexpr unsigned histogram_blocks(const histogram_request& request, index_t wave) {
  constexpr index_t max_per_block = index_t{1} << 31;
  const index_t each = histograms.block * tandem::max(1, histograms.thread_bytes /
                                                             static_cast<int>(request.value_bytes));
  const index_t wanted = tandem::max(index_t{1}, ceil_div(request.size, each));
  return static_cast<unsigned>(
      tandem::max(tandem::min(wanted, wave), ceil_div(request.size, max_per_block)));
}

/// The plan for bins in global memory.
constexpr histogram_plan plan_global_histogram(const histogram_request& request) {
  histogram_plan plan;
  plan.blocks = histogram_blocks(request, request.multiprocessors);
  plan.slots = request.size >= histograms.hot_bins_min_size &&
                       2 * sizeof(unsigned) * histograms.hot_slots <= request.block_shared
                   ? histograms.hot_slots
                   : 0;
  plan.shared_bytes = 2 * sizeof(unsigned) * plan.slots;
  return plan;
}

/// Copies of each of a block's bins that fit into `room` bytes.
constexpr unsigned histogram_copies(const histogram_request& request, const histogram_plan& plan,
                                    std::size_t one_copy, std::size_t room) {
  const index_t words = request.size / plan.blocks / histograms.elements_per_word;
  unsigned copies = 1;
  while (2 * copies <= static_cast<unsigned>(histograms.max_copies) &&
         2 * copies * one_copy <= room && index_t{2 * copies} * plan.slice <= words) {
    copies *= 2;
  }
  return copies;
}

constexpr histogram_plan plan_histogram(const histogram_request& request) {
  constexpr std::size_t alignment = 16;
  histogram_plan plan;
  const bool tables = request.table_bytes + request.table_edge_bytes > 0;
  plan.table_shared = tables && request.table_bytes <= request.block_shared / 2;
  const std::size_t table = plan.table_shared ? request.table_bytes : 0;
  const std::size_t bin_and_edge = request.bin_bytes + request.table_edge_bytes;
  const auto capacity =
      static_cast<index_t>((request.block_shared - table - alignment) / bin_and_edge) - 1;
  const index_t slices = ceil_div(request.bins, capacity);
  plan.shared = slices <= histograms.max_slices;
  if (!plan.shared) return plan_global_histogram(request);
  plan.slices = static_cast<unsigned>(slices);
  plan.slice = static_cast<unsigned>(ceil_div(request.bins, slices));
  plan.blocks =
      histogram_blocks(request, tandem::max(index_t{1}, request.multiprocessors / slices));
  // With a spare bin, and an edge more than bins.
  const std::size_t one_copy = (plan.slice + 1) * request.bin_bytes;
  const std::size_t tables_bytes = table + (plan.slice + 1) * request.table_edge_bytes;
  plan.copies =
      histogram_copies(request, plan, one_copy, request.block_shared - tables_bytes - alignment);
  plan.bins_bytes = round_up(one_copy * plan.copies, alignment);
  plan.shared_bytes = plan.bins_bytes + tables_bytes;
  return plan;
}

}  // namespace tandem::cuda_impl
