// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>

#include <cstddef>

/// Plans how to map a histogram onto a GPU before anything runs. Plain C++, so that a machine
/// without a GPU can test it.
namespace tandem::cuda_impl {

/// The table of cells in which a block looks up the bin of a value between explicit edges.
struct edge_table {
  int last = 0;           ///< the last cell but one; a sentinel follows it
  std::size_t bytes = 0;  ///< of cells and edges
};

/// Determines the size of an edge table.
///
/// @param edge_bytes  bytes per edge; a cell takes twice as many, and at least 8
constexpr edge_table plan_edge_table(index_t bins, std::size_t edge_bytes) {
  const std::size_t cell_bytes = tandem::max(2 * edge_bytes, std::size_t{8});
  std::size_t cells = min_edge_cells;
  while (cells < static_cast<std::size_t>(bins * edge_cells_per_bin) &&
         2 * cells * cell_bytes <= max_edge_cell_bytes)
    cells *= 2;
  return {static_cast<int>(cells) - 2,
          cells * cell_bytes + (static_cast<std::size_t>(bins) + 1) * edge_bytes};
}

/// The properties of a problem, a kernel and a device that a plan depends on.
struct histogram_request {
  index_t bins = 1;
  index_t size = 0;  ///< elements of x
  std::size_t value_bytes = 4;
  std::size_t bin_bytes = 4;         ///< per copy of a bin in shared memory
  std::size_t table_bytes = 0;       ///< of a table besides the bins that every block holds in full
  std::size_t table_edge_bytes = 0;  ///< per edge of a table of the edges around a block's bins
  int multiprocessors = 1;
  std::size_t block_shared = 48 * 1024;
};

/// Where the bins are stored during counting, and the blocks that count.
struct histogram_plan {
  bool shared = false;        ///< bins are in the blocks' shared memory, otherwise in global memory
  bool table_shared = false;  ///< tables are in shared memory
  unsigned slice = 0;         ///< bins per block
  unsigned slices = 0;        ///< passes over x, one per slice of the bins
  unsigned copies = 1;        ///< per bin, a power of two; lane l adds to copy l % copies
  unsigned blocks = 1;        ///< per slice
  unsigned slots = 0;         ///< for hot bins, per block that adds in global memory
  std::size_t bins_bytes = 0;
  std::size_t shared_bytes = 0;
};

/// Number of blocks: `histogram_thread_bytes` bytes of x per thread and at most `wave` blocks, but
/// enough that no block's 32-bit counts overflow.
constexpr unsigned histogram_blocks(const histogram_request& request, index_t wave) {
  constexpr index_t max_per_block = index_t{1} << 31;
  const index_t per_block =
      histogram_block *
      tandem::max(1, histogram_thread_bytes / static_cast<int>(request.value_bytes));
  const index_t wanted = tandem::max(index_t{1}, ceil_div(request.size, per_block));
  return static_cast<unsigned>(
      tandem::max(tandem::min(wanted, wave), ceil_div(request.size, max_per_block)));
}

/// Slots for hot bins per block that adds in global memory, a power of two: as many as fit into
/// shared memory, each with a word for the bin and `bin_bytes` for its sum.
constexpr unsigned histogram_slots(const histogram_request& request) {
  if (request.size < hot_bins_min_size) return 0;
  unsigned slots = max_hot_slots;
  while ((sizeof(unsigned) + request.bin_bytes) * slots > request.block_shared) slots /= 2;
  return slots;
}

/// Plans bins in global memory.
constexpr histogram_plan plan_global_histogram(const histogram_request& request) {
  histogram_plan plan;
  plan.blocks = histogram_blocks(request, request.multiprocessors);
  plan.slots = histogram_slots(request);
  plan.shared_bytes = (sizeof(unsigned) + request.bin_bytes) * plan.slots;
  return plan;
}

/// Copies per bin of a block: as many as fit into `room` bytes and have enough elements to justify
/// merging them.
constexpr unsigned histogram_copies(const histogram_request& request, const histogram_plan& plan,
                                    std::size_t one_copy, std::size_t room) {
  const index_t words = request.size / plan.blocks / elements_per_bin_word;
  unsigned copies = 1;
  while (2 * copies <= max_bin_copies && 2 * copies * one_copy <= room &&
         index_t{2 * copies} * plan.slice <= words) {
    copies *= 2;
  }
  return copies;
}

/// Plans bins in shared memory, along with the requested tables, if few enough slices suffice.
/// Otherwise plans bins in global memory without tables.
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
  plan.shared = slices <= max_bin_slices;
  if (!plan.shared) return plan_global_histogram(request);
  plan.slices = static_cast<unsigned>(slices);
  plan.slice = static_cast<unsigned>(ceil_div(request.bins, slices));
  plan.blocks =
      histogram_blocks(request, tandem::max(index_t{1}, request.multiprocessors / slices));
  // A block has a spare bin, and one more edge than bins.
  const std::size_t one_copy = (plan.slice + 1) * request.bin_bytes;
  const std::size_t tables_bytes = table + (plan.slice + 1) * request.table_edge_bytes;
  plan.copies =
      histogram_copies(request, plan, one_copy, request.block_shared - tables_bytes - alignment);
  plan.bins_bytes = round_up(one_copy * plan.copies, alignment);
  plan.shared_bytes = plan.bins_bytes + tables_bytes;
  return plan;
}

/// Plans a kernel that works with and without tables. Uses tables if they fit into shared memory
/// besides the bins.
constexpr histogram_plan plan_optional_table(histogram_request request) {
  const histogram_plan plan = plan_histogram(request);
  if (plan.table_shared) return plan;
  request.table_bytes = request.table_edge_bytes = 0;
  return plan_histogram(request);
}

}  // namespace tandem::cuda_impl
