// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>

#include <cstddef>

/// How a histogram is laid over a GPU: tuning, which changes no result. Plain C++, so that it is
/// tested without one.
namespace tandem::cuda_impl {

struct histogram_policy {
  /// Threads; two such blocks fill a multiprocessor of 2048.
  int block = 1024;
  /// Copies of a block's bins: with one a lane, no two lanes of a warp ever meet in a bank.
  int most_copies = 32;
  /// Bytes that the copies may take when another block is to share the multiprocessor.
  std::size_t paired = 72 * 1024;
  /// Half of the shared memory of an H200's multiprocessor, less what the system keeps.
  std::size_t pair_limit = 112 * 1024;
  /// Passes over the data, 122 us each at 2^27, before atomics on global memory (0.8 ms) win.
  int most_slices = 6;
  /// Bytes of x that a thread is to read before another block is worth its merge.
  int thread_bytes = 32;
};
inline constexpr histogram_policy histograms{};

/// Counting blocks of a multiprocessor. Values of 8 bytes, and searches for 16 values at once, take
/// more registers than two blocks have; one has as many bytes in flight as memory needs.
constexpr int histogram_residents(std::size_t value_bytes, bool searches) {
  return value_bytes == 8 || (searches && value_bytes == 1) ? 1 : 2;
}

/// Registers of a counting thread with which that many blocks fit. Launch bounds would say the
/// same, but warn where a multiprocessor has fewer threads.
constexpr int histogram_registers(int residents) { return 65536 / (histograms.block * residents); }

/// What a plan depends on.
struct histogram_request {
  index_t bins = 1;
  index_t size = 0;  ///< elements of x
  std::size_t value_bytes = 4;
  std::size_t bin_bytes = 4;    ///< of one copy of a bin in shared memory
  std::size_t table_bytes = 0;  ///< of edges that are best kept in shared memory
  int residents = 1;            ///< blocks that a multiprocessor's registers hold
  int multiprocessors = 1;
  std::size_t block_shared = 48 * 1024;
};

/// Where the bins are while blocks count.
struct histogram_plan {
  bool shared = false;  ///< in shared memory, block by block; else in global memory
  bool table_shared = false;
  unsigned slice = 0;   ///< bins that a block counts
  unsigned slices = 0;  ///< passes over x, one for each slice of the bins
  unsigned copies = 1;  ///< of each bin, a power of two; lane l adds to copy l % copies
  unsigned blocks = 1;  ///< of each slice
  std::size_t bins_bytes = 0;
  std::size_t shared_bytes = 0;
};

/// Blocks for all elements at `thread_bytes` a thread, but not more than `wave`, and not so few
/// that one block's 32-bit counts could overflow.
constexpr unsigned histogram_blocks(const histogram_request& request, index_t wave) {
  constexpr index_t most_each = index_t{1} << 31;
  const index_t each = histograms.block * tandem::max(1, histograms.thread_bytes /
                                                             static_cast<int>(request.value_bytes));
  const index_t wanted = tandem::max(index_t{1}, ceil_div(request.size, each));
  return static_cast<unsigned>(
      tandem::max(tandem::min(wanted, wave), ceil_div(request.size, most_each)));
}

constexpr histogram_plan plan_histogram(const histogram_request& request) {
  histogram_plan plan;
  plan.table_shared = request.table_bytes > 0 && request.table_bytes <= request.block_shared / 2;
  const std::size_t table = plan.table_shared ? request.table_bytes : 0;
  const auto capacity =
      static_cast<index_t>((request.block_shared - table) / request.bin_bytes) - 1;
  const index_t slices = ceil_div(request.bins, capacity);
  plan.shared = slices <= histograms.most_slices;
  if (!plan.shared) {
    plan.table_shared = false;
    plan.blocks = histogram_blocks(request, request.residents * request.multiprocessors);
    return plan;
  }
  plan.slices = static_cast<unsigned>(slices);
  plan.slice = static_cast<unsigned>(ceil_div(request.bins, slices));
  const std::size_t one_copy = (plan.slice + 1) * request.bin_bytes;  // with a spare bin
  const bool paired = request.residents == 2 && one_copy + table <= histograms.pair_limit;
  const index_t wave =
      tandem::max(index_t{1}, request.multiprocessors * index_t{paired ? 2 : 1} / slices);
  plan.blocks = histogram_blocks(request, wave);
  // Copies are cleared and added up by every block: not worth it where a block counts fewer
  // elements than they have words.
  const index_t each = request.size / plan.blocks;
  const std::size_t room = tandem::min(histograms.paired, request.block_shared);
  while (2 * plan.copies <= static_cast<unsigned>(histograms.most_copies) &&
         2 * plan.copies * one_copy + table <= room &&
         index_t{2 * plan.copies} * plan.slice <= each) {
    plan.copies *= 2;
  }
  plan.bins_bytes = round_up(one_copy * plan.copies, std::size_t{8});
  plan.shared_bytes = plan.bins_bytes + table;
  return plan;
}

}  // namespace tandem::cuda_impl
