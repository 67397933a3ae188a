// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of scans on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Threads per block of a scan: one per segment of the canonical tile.
inline constexpr int scan_block = canonical::row_segments * canonical::tile_rows;

/// How elements of one size are scanned.
struct scan_policy {
  bool staged;  ///< through shared memory; otherwise each thread reads its segment directly
  int tile_blocks_per_sm;      ///< resident blocks that scan one tile; limits their registers
  int tile_waves;              ///< waves of such blocks up to which they beat pipelines
  int pipeline_blocks_per_sm;  ///< resident blocks that scan many tiles
};

/// Returns the policy for elements of one size.
///
/// Single-tile blocks: four per multiprocessor, as many as any GPU since Turing can hold, as long
/// as their segments fit into 64 registers per thread. A second wave of them pays off if a pipeline
/// would have one block per multiprocessor, but not if it would have two.
///
/// Pipelines: what matters is the number of tiles that a block can hold between folding a tile and
/// finishing it, so that it need not wait for the totals of other blocks. Few blocks with many
/// stages are therefore better than many blocks with few. Small elements fill stages so fast that
/// the instruction count matters, too.
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

/// Stages of a pipeline: the minimum, the number from which it seldom waits, and the maximum that
/// it can index.
inline constexpr int min_scan_stages = 3;
inline constexpr int target_scan_stages = 6;
inline constexpr int max_scan_stages = 12;

/// Tiles that a pipeline loads into shared memory while it folds another.
inline constexpr int scan_loads_ahead = 1;

/// Shared memory of a pipeline's block besides its stages, including the 1 KiB that the driver
/// reserves, and the bytes per stage: a tile plus one element per segment.
inline constexpr std::size_t scan_block_overhead = 1024 + 1024;
constexpr std::size_t scan_stage_bytes(std::size_t element_bytes) {
  return element_bytes * static_cast<std::size_t>(canonical::scan_tile + scan_block);
}

/// Stages of the pipeline that computes tile totals.
inline constexpr int most_totals_stages = 3;

/// The launch shape of one scan.
struct scan_shape {
  int blocks;
  int stages;  ///< tiles in shared memory per block; with 1, each block scans one tile
};

/// Chooses the shape. Each block scans one tile if all blocks are resident at once, or nearly so,
/// or if tiles cannot be staged. Otherwise there are as many blocks as can be resident, or fewer
/// than the policy says if each would have too few stages.
///
/// @param shared_bytes  maximum shared memory per block: a multiprocessor's less 1 KiB
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

/// Chooses the shape of the pipeline that computes tile totals: as many blocks as can be resident,
/// with stages that fit.
///
/// @param shared_bytes  as for select_scan_shape()
constexpr scan_shape select_totals_shape(index_t tiles, int multiprocessors,
                                         std::size_t element_bytes, std::size_t shared_bytes) {
  const scan_policy policy = select_scan(element_bytes);
  scan_shape shape{.blocks = policy.tile_blocks_per_sm, .stages = 1};
  if (policy.staged) {
    const std::size_t stage = element_bytes * static_cast<std::size_t>(canonical::scan_tile);
    const auto bytes = [&](int blocks, int stages) {
      return static_cast<std::size_t>(blocks) *
             (scan_block_overhead + static_cast<std::size_t>(stages) * stage);
    };
    shape.stages = most_totals_stages;
    while (shape.stages > 1 && bytes(1, shape.stages) > shared_bytes + 1024) --shape.stages;
    while (shape.blocks > 1 && bytes(shape.blocks, shape.stages) > shared_bytes + 1024)
      --shape.blocks;
  }
  shape.blocks *= multiprocessors;
  if (tiles < shape.blocks) shape.blocks = static_cast<int>(tiles);
  return shape;
}

}  // namespace tandem::cuda_impl
