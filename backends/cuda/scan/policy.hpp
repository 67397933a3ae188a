// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of scans on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Threads of a scan's block: one a segment of the canonical tile.
inline constexpr int scan_block = canonical::row_segments * canonical::tile_rows;

/// How elements of one size are scanned.
struct scan_policy {
  bool staged;                 ///< through shared memory; else each thread reads its own segment
  int tile_blocks_per_sm;      ///< resident blocks that scan one tile; bounds their registers
  int tile_waves;              ///< times so many may come one after the other, before pipelines win
  int pipeline_blocks_per_sm;  ///< blocks that scan many tiles that a multiprocessor holds
};

/// Blocks of one tile: four, as many as any GPU since Turing can hold, while their segments fit
/// into 64 registers a thread. A second wave of them pays where a pipeline's multiprocessor has one
/// block alone (2^21 doubles: 13.7 us against 16.8), not where it has two (2^22 floats: 16.1
/// against 14.7).
///
/// Pipelines: what counts is how many tiles a block can keep between the one that it folds and the
/// one that it finishes, so that it need not wait for other blocks' totals. At 2^27 floats two
/// blocks with six stages took 285 us on an H200, three with four 330, four with three 559, one
/// with twelve 367; doubles took 557 us with one block of six stages and 1180 with two of three.
/// Small elements fill stages so fast that instructions count, too.
constexpr scan_policy select_scan(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
    case 2:
      return {
          .staged = true, .tile_blocks_per_sm = 4, .tile_waves = 1, .pipeline_blocks_per_sm = 4};
    case 4:
      return {
          .staged = true, .tile_blocks_per_sm = 4, .tile_waves = 1, .pipeline_blocks_per_sm = 2};
    case 8:
      return {
          .staged = true, .tile_blocks_per_sm = 3, .tile_waves = 2, .pipeline_blocks_per_sm = 1};
    default:
      return {.staged = false,
              .tile_blocks_per_sm = element_bytes <= 16 ? 2 : 1,
              .tile_waves = 1,
              .pipeline_blocks_per_sm = 1};
  }
}

/// Stages of a pipeline: what it needs to work at all, what it wants so that it seldom waits, and
/// what it can number.
inline constexpr int min_scan_stages = 3;
inline constexpr int target_scan_stages = 6;
inline constexpr int max_scan_stages = 12;

/// Tiles that a pipeline has on their way into shared memory while it folds another one.
inline constexpr int scan_loads_ahead = 1;

/// Shared memory of a pipeline's block beside its stages, the driver's 1 KB among it; and bytes of
/// a stage: a tile, and one element for each of its segments.
inline constexpr std::size_t scan_block_overhead = 1024 + 1024;
constexpr std::size_t scan_stage_bytes(std::size_t element_bytes) {
  return element_bytes * static_cast<std::size_t>(canonical::scan_tile + scan_block);
}

/// How one scan is run.
struct scan_shape {
  int blocks;
  int stages;  ///< tiles of a block in shared memory; 1: each block scans one tile
};

/// One tile a block where all run at once or nearly, and where tiles cannot be staged. Else as many
/// blocks as stay on the device, fewer than the policy says where their stages would be too few.
///
/// @param shared_bytes  the most that one block may have: all of a multiprocessor's but 1 KB
constexpr scan_shape select_scan_shape(index_t tiles, int multiprocessors,
                                       std::size_t element_bytes, std::size_t shared_bytes) {
  const scan_policy policy = select_scan(element_bytes);
  const scan_shape one_each{.blocks = static_cast<int>(tiles), .stages = 1};
  const index_t at_once = index_t{policy.tile_blocks_per_sm} * multiprocessors;
  if (!policy.staged || tiles <= at_once * policy.tile_waves) return one_each;
  for (int blocks_per_sm = policy.pipeline_blocks_per_sm; blocks_per_sm > 0; --blocks_per_sm) {
    const std::size_t room = (shared_bytes + 1024) / static_cast<std::size_t>(blocks_per_sm);
    if (room < scan_block_overhead) continue;
    const std::size_t fitting = (room - scan_block_overhead) / scan_stage_bytes(element_bytes);
    const int stages = fitting < max_scan_stages ? static_cast<int>(fitting) : max_scan_stages;
    if (stages >= target_scan_stages || (blocks_per_sm == 1 && stages >= min_scan_stages))
      return {.blocks = blocks_per_sm * multiprocessors, .stages = stages};
  }
  return one_each;
}

}  // namespace tandem::cuda_impl
