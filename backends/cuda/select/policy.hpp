// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of selections on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Threads of a selection's block.
inline constexpr int select_block = 256;

/// How elements of one size are selected.
struct select_policy {
  bool staged;            ///< kept elements pass through shared memory; else their positions do
  int items;              ///< neighbouring elements of a thread: 16 bytes of them in one load
  int rows;               ///< times that a warp loads 32 such groups
  int min_blocks_per_sm;  ///< blocks that a multiprocessor shall hold; bounds a thread's registers
};

/// A large tile: its count travels through L2 while its block loads the next one, and a step must
/// not end sooner. On an H200, 2^27 floats of which half are kept, by rows and blocks: 2 x 8 in 403
/// us, 4 x 6 in 287, 6 x 4 in 258, 8 x 3 in 232, 12 x 2 in 221 (CUB: 301). Seven rows are what the
/// 64 KiB of a block on compute capability 7.5 hold twice. Elements of 1 and 2 bytes take a whole
/// register each while they are tested.
constexpr select_policy select_selection(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return {.staged = true, .items = 16, .rows = 3, .min_blocks_per_sm = 3};
    case 2:
      return {.staged = true, .items = 8, .rows = 3, .min_blocks_per_sm = 3};
    case 4:
      return {.staged = true, .items = 4, .rows = 7, .min_blocks_per_sm = 3};
    case 8:
      return {.staged = true, .items = 2, .rows = 7, .min_blocks_per_sm = 3};
    default:
      return {.staged = element_bytes <= 16, .items = 1, .rows = 7, .min_blocks_per_sm = 3};
  }
}

/// Elements of a block's tile.
constexpr int select_tile_size(std::size_t element_bytes) {
  const select_policy policy = select_selection(element_bytes);
  return policy.items * policy.rows * select_block;
}

/// Shared memory that a block takes beside its two stages: its storage, and the driver's 1 KB.
inline constexpr std::size_t select_block_overhead = 1024 + 256;

/// Blocks of a selection: as many as stay on the device.
///
/// @param stage_bytes   of one tile in shared memory; a block has two
/// @param shared_bytes  the most that one block may have: all of a multiprocessor's but 1 KB
constexpr int select_grid(index_t tiles, int multiprocessors, int min_blocks_per_sm,
                          std::size_t stage_bytes, std::size_t shared_bytes) {
  const int fitting =
      static_cast<int>((shared_bytes + 1024) / (2 * stage_bytes + select_block_overhead));
  const int blocks_per_sm =
      fitting < min_blocks_per_sm ? (fitting < 1 ? 1 : fitting) : min_blocks_per_sm;
  const index_t most = index_t{blocks_per_sm} * multiprocessors;
  return static_cast<int>(tiles < most ? tiles : most);
}

}  // namespace tandem::cuda_impl
