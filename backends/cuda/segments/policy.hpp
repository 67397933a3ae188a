// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/core/extents.hpp>

/// Tuning of reductions and scans of segments as data, which changes no result: plain C++, tested
/// on the host.
namespace tandem::cuda_impl {

inline constexpr int segment_warp = 32;  ///< threads that take segments together

struct segments_policy {
  int warps_per_sm;  ///< warps that take segments before a warp takes more than one at a time
  /// Most warps of a grid: many times what is resident, since segments take unequal time, but so
  /// few that a warp takes segments several times, whose offsets it loads early.
  int grid_warps_per_sm;
  int join_block;  ///< threads per block where chunks' values are combined
  int scan_block;
  /// Left alone, ptxas allocates fewer registers than the terms of a lane take, and spills.
  int scan_blocks_per_sm;
};

inline constexpr segments_policy segments_tuning{.warps_per_sm = 64,
                                                 .grid_warps_per_sm = 120,
                                                 .join_block = 256,
                                                 .scan_block = 128,
                                                 .scan_blocks_per_sm = 4};

/// The blocks that fold segments.
struct segment_fold_policy {
  int block;  ///< threads
  int blocks_per_sm;
};

/// The blocks that fold segments of elements by their address, which take fewer registers in
/// flight, or of a function's terms. Left alone, ptxas allocates too few registers for the terms of
/// a tile in flight, and spills; or so many that few warps are resident. A thread may have 64
/// registers for a row of lanes of 4 bytes, 96 for one of 8 bytes, and 128 or 160 for larger ones.
constexpr segment_fold_policy select_segment_fold(bool loads_elements,
                                                  std::size_t accumulator_bytes) {
  constexpr int block = 128;
  if (accumulator_bytes > 8) return {.block = block, .blocks_per_sm = loads_elements ? 4 : 3};
  const bool is_small = loads_elements && accumulator_bytes <= 4;
  return {.block = block, .blocks_per_sm = is_small ? 8 : 5};
}

/// How a warp loads terms, and stages those of short segments in shared memory.
struct segment_load_policy {
  int batch;    ///< terms per lane in flight, a power of two
  int staged;   ///< terms that a warp stages at a time, a multiple of 32 batches
  int longest;  ///< most terms of a segment that is staged, 0: none is
};

/// 64 bytes of terms per lane are in flight. A warp stages 4 or 6 KiB, which leaves nearly half of
/// a multiprocessor's memory to its cache.
constexpr segment_load_policy select_segment_load(std::size_t accumulator_bytes) {
  if (accumulator_bytes <= 4) return {.batch = 16, .staged = 1024, .longest = 512};
  if (accumulator_bytes <= 8) return {.batch = 8, .staged = 768, .longest = 512};
  if (accumulator_bytes <= 16) return {.batch = 4, .staged = 384, .longest = 384};
  return {.batch = accumulator_bytes <= 32 ? 2 : 1, .staged = 0, .longest = 0};
}

/// Neighbouring segments that a warp takes at a time: as many as it has lanes, but so few that all
/// warps have some. A power of two.
TANDEM_FUNCTION constexpr int segments_at_once(index_t count, int multiprocessors) {
  int each = segment_warp;
  while (each > 1 && count < index_t{each} * segments_tuning.warps_per_sm * multiprocessors)
    each /= 2;
  return each;
}

}  // namespace tandem::cuda_impl
