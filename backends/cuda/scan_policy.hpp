// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/canonical.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of scans on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Threads of a scan's block: one a segment of the canonical tile.
inline constexpr int scan_block = canonical::row_segments * canonical::tile_rows;

/// How elements of one size are scanned.
struct scan_policy {
  bool staged;          ///< through shared memory; else each thread reads its own segment
  int resident_blocks;  ///< blocks that a multiprocessor shall hold; bounds a thread's registers
};

/// Four blocks, as many as any GPU since Turing can hold, hide each other's barriers, and keep 64
/// to 128 KB of their next tiles in flight on a multiprocessor, three times what the latency needs
/// (4.3 TB/s x 650 ns / 132 = 21 KB). Segments of 8-byte elements need more registers.
constexpr scan_policy select_scan(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
    case 2:
    case 4:
      return {.staged = true, .resident_blocks = 4};
    case 8:
      return {.staged = true, .resident_blocks = 3};
    default:
      return {.staged = false, .resident_blocks = element_bytes <= 16 ? 2 : 1};
  }
}

/// How one scan is run.
struct scan_shape {
  int blocks;
  int stages;  ///< tiles of a block in shared memory; 1: each block scans one tile
};

/// Shared memory that a block of a pipeline takes beside its stages, the driver's 1 KB among it.
inline constexpr std::size_t scan_block_overhead = 1024 + 256;

/// One tile a block where all run at once, and where tiles cannot be staged. Else as many blocks as
/// stay on the device, each with a tile that it folds, one that it finishes and, if loads need no
/// waiting thread, one on its way.
///
/// @param shared_bytes  the most that one block may have: all of a multiprocessor's but 1 KB
constexpr scan_shape select_scan_shape(index_t tiles, int multiprocessors,
                                       std::size_t element_bytes, bool loads_ahead,
                                       std::size_t shared_bytes) {
  const scan_policy policy = select_scan(element_bytes);
  const scan_shape one_each{.blocks = static_cast<int>(tiles), .stages = 1};
  if (!policy.staged || tiles <= index_t{policy.resident_blocks} * multiprocessors) return one_each;
  const int stages = loads_ahead ? 3 : 2;
  const std::size_t block_bytes =
      static_cast<std::size_t>(stages) * canonical::scan_tile * element_bytes + scan_block_overhead;
  const int fitting = static_cast<int>((shared_bytes + 1024) / block_bytes);
  if (fitting == 0) return one_each;
  const int resident = fitting < policy.resident_blocks ? fitting : policy.resident_blocks;
  return {.blocks = resident * multiprocessors, .stages = stages};
}

}  // namespace tandem::cuda_impl
