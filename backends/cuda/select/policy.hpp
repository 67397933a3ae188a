// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of selections on a GPU as data, which changes no result.
namespace tandem::cuda_impl {

/// Threads per block of a selection.
inline constexpr int select_block = 256;

/// How elements of one size are selected.
struct select_policy {
  bool staged;            ///< elements pass through shared memory, otherwise their positions
  int items;              ///< neighbouring elements per thread: 16 bytes of them in one load
  int rows;               ///< times that a warp loads 32 such groups
  int min_blocks_per_sm;  ///< resident blocks, which bound the registers per thread
};

/// The policy for elements of one size. Tiles are large, because a tile's count travels through L2
/// while its block loads the next tile, and a step should not end sooner. Seven rows are what the
/// 64 KiB of a block on compute capability 7.5 hold twice, and five with positions of 2 bytes.
/// Elements of 1 and 2 bytes take a whole register each while they are tested, hence fewer rows.
///
/// @param positions  whether those of elements are staged as well
constexpr select_policy select_selection(std::size_t element_bytes, bool positions = false) {
  const int rows = positions ? 5 : 7;
  const int narrow_rows = positions ? 2 : 3;
  switch (element_bytes) {
    case 1:
      return {.staged = true, .items = 16, .rows = narrow_rows, .min_blocks_per_sm = 3};
    case 2:
      return {.staged = true, .items = 8, .rows = narrow_rows, .min_blocks_per_sm = 3};
    case 4:
      return {.staged = true, .items = 4, .rows = rows, .min_blocks_per_sm = 3};
    case 8:
      return {.staged = true, .items = 2, .rows = rows, .min_blocks_per_sm = 3};
    default:
      return {.staged = element_bytes <= 16, .items = 1, .rows = rows, .min_blocks_per_sm = 3};
  }
}

/// Elements per tile of a block.
constexpr int select_tile_size(std::size_t element_bytes, bool positions = false) {
  const select_policy policy = select_selection(element_bytes, positions);
  return policy.items * policy.rows * select_block;
}

/// Shared memory per block beside its two stages: select_storage, and the driver's 1 KiB.
inline constexpr std::size_t select_block_overhead = 1024 + 256;

/// The number of blocks of a selection: as many as can be resident, at most one per tile.
///
/// @param stage_bytes   of a tile in shared memory; a block has two such stages
/// @param shared_bytes  the most shared memory of a block: a multiprocessor's less 1 KiB
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
