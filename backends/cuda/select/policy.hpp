// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of selections on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Threads per block of a selection.
inline constexpr int select_block = 256;

/// How elements of one size are selected.
struct select_policy {
  bool staged;            ///< stages elements in shared memory; otherwise stages their positions
  int items;              ///< adjacent elements per thread, loaded together as 16 bytes
  int rows;               ///< how many times a warp loads 32 such groups
  int min_blocks_per_sm;  ///< resident blocks, which limit the registers per thread
};

/// Returns the policy for elements of one size. Tiles are large because a tile's count travels
/// through L2 while its block loads the next tile, and a step should not finish before the count
/// arrives. Two blocks fit into the 64 KiB of compute capability 7.5 with seven rows, or with five
/// rows and 2-byte positions. Elements of 1 and 2 bytes occupy a whole register each while they are
/// tested, hence their fewer rows.
///
/// @param positions  whether positions are staged in addition to elements
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

/// Shared memory per block besides its two stages: select_storage and the 1 KiB that the driver
/// reserves.
inline constexpr std::size_t select_block_overhead = 1024 + 256;

/// Number of blocks of a selection: as many as can be resident, but at most one per tile.
///
/// @param stage_bytes   of a tile in shared memory; a block has two such stages
/// @param shared_bytes  maximum shared memory per block: a multiprocessor's less 1 KiB
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
