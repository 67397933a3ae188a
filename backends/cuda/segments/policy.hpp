// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of reductions and scans of segments as data, which changes no result: plain C++, tested
/// on the host.
namespace tandem::cuda_impl {

inline constexpr int segment_warp = 32;  ///< threads that take segments together

struct segments_policy {
  int warps_per_sm;  ///< warps that take segments before a warp takes more than one at a time
  /// Items of a tile per team that make a chunk, so many that a warp spends its time in them; a
  /// power of two. Longer segments are folded chunk by chunk.
  index_t chunk_items;
  int join_block;  ///< threads per block where chunks' values are combined
  int scan_block;
  /// Left alone, ptxas allocates fewer registers than the terms of a lane take, and spills.
  int scan_blocks_per_sm;
};

inline constexpr segments_policy segments_tuning{.warps_per_sm = 64,
                                                 .chunk_items = 32,
                                                 .join_block = 256,
                                                 .scan_block = 128,
                                                 .scan_blocks_per_sm = 4};

/// The blocks that fold segments.
struct segment_fold_policy {
  int block;  ///< threads
  int blocks_per_sm;
};

/// The blocks that fold segments of elements by their address, which take fewer registers in
/// flight, or of a function's terms, with tiles of `tile_block` threads. Left alone, ptxas
/// allocates too few registers for the terms of a tile in flight, and spills: a thread may have 128
/// or 160.
constexpr segment_fold_policy select_segment_fold(bool loads_elements, int tile_block) {
  const int block = loads_elements && tile_block >= 256 ? 256 : 128;
  return {.block = block, .blocks_per_sm = loads_elements ? 512 / block : 3};
}

/// Neighbouring segments that a warp takes at a time: as many as it has lanes, but so few that all
/// warps have some. A power of two.
constexpr int segments_at_once(index_t count, int multiprocessors) {
  int each = segment_warp;
  while (each > 1 && count < index_t{each} * segments_tuning.warps_per_sm * multiprocessors)
    each /= 2;
  return each;
}

}  // namespace tandem::cuda_impl
