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

/// Four blocks, as many as any GPU since Turing can hold, keep 64 KB of their next tiles in flight
/// on a multiprocessor, three times what the latency needs (4.3 TB/s x 650 ns / 132 = 21 KB), and
/// hide each other's barriers. Segments of 8-byte elements need more registers; three blocks of
/// them have 96 KB in flight.
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
  int blocks;  ///< each takes tiles until none is left
  int stages;  ///< tiles of a block in shared memory: 2 when one loads while another is scanned
};

/// Two stages only where there are more tiles than blocks: before, the second tile of a block would
/// idle another.
constexpr scan_shape select_scan_shape(index_t tiles, int multiprocessors,
                                       std::size_t element_bytes, bool two_stages) {
  const index_t resident = index_t{select_scan(element_bytes).resident_blocks} * multiprocessors;
  if (tiles <= resident) return {.blocks = static_cast<int>(tiles), .stages = 1};
  return {.blocks = static_cast<int>(resident), .stages = two_stages ? 2 : 1};
}

}  // namespace tandem::cuda_impl
