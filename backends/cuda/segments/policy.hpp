// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/core/extents.hpp>

/// Tuning of reductions and scans of segments as data. Changes no result. Plain C++, tested on the
/// host.
namespace tandem::cuda_impl {

inline constexpr int segment_warp = 32;  ///< threads that process segments together

struct segments_policy {
  int warps_per_sm;  ///< warps that must have segments before a warp processes several at a time
  /// Enough such warps if their segments fit a stage on average, which loads them together.
  int staging_warps_per_sm;
  /// Maximum warps of a grid. It is many times what is resident, since segments take unequal time,
  /// but low enough that a warp loops over segments and can load their offsets ahead.
  int grid_warps_per_sm;
  int join_block;  ///< threads per block that combines the values of chunks
  int scan_block;
  /// Without this bound, ptxas allocates fewer registers than a lane's terms take, and spills.
  int scan_blocks_per_sm;
};

inline constexpr segments_policy segments_tuning{.warps_per_sm = 64,
                                                 .staging_warps_per_sm = 16,
                                                 .grid_warps_per_sm = 120,
                                                 .join_block = 256,
                                                 .scan_block = 128,
                                                 .scan_blocks_per_sm = 4};

/// The blocks that fold segments.
struct segment_fold_policy {
  int block;  ///< threads
  int blocks_per_sm;
};

/// Returns the blocks that fold segments. Elements loaded from an address need fewer registers in
/// flight than a function's terms. Without the bound, ptxas either allocates too few registers for
/// the in-flight terms of a tile and spills, or so many that few warps are resident. A thread may
/// use 64 registers for a row of 4-byte lanes, 96 for 8-byte lanes, and 128 or 160 for larger ones.
constexpr segment_fold_policy select_segment_fold(bool loads_elements,
                                                  std::size_t accumulator_bytes) {
  constexpr int block = 128;
  if (accumulator_bytes > 8) return {.block = block, .blocks_per_sm = loads_elements ? 4 : 3};
  const bool is_small = loads_elements && accumulator_bytes <= 4;
  return {.block = block, .blocks_per_sm = is_small ? 8 : 5};
}

/// How a warp loads terms and stages those of short segments in shared memory.
struct segment_load_policy {
  int batch;    ///< terms per lane in flight, a power of two
  int staged;   ///< terms that a warp stages at a time, a multiple of 32 batches
  int longest;  ///< most terms of a staged segment; 0 disables staging
};

/// Keeps 64 bytes of terms per lane in flight. A warp stages 4 or 6 KiB, which leaves nearly half
/// of a multiprocessor's memory to the L1 cache.
constexpr segment_load_policy select_segment_load(std::size_t accumulator_bytes) {
  if (accumulator_bytes <= 4) return {.batch = 16, .staged = 1024, .longest = 512};
  if (accumulator_bytes <= 8) return {.batch = 8, .staged = 768, .longest = 512};
  if (accumulator_bytes <= 16) return {.batch = 4, .staged = 384, .longest = 384};
  return {.batch = accumulator_bytes <= 32 ? 2 : 1, .staged = 0, .longest = 0};
}

/// How many of `count` segments with `terms` terms fit a stage of `staged` terms on average.
TANDEM_FUNCTION constexpr index_t segments_per_stage(index_t count, index_t terms, int staged) {
  return terms == 0 ? 0 : staged * count / terms;
}

/// Adjacent segments that a warp processes at a time: up to one per lane, but few enough that all
/// warps have some. A power of two.
///
/// @param fitting  how many fit a warp's stage
TANDEM_FUNCTION constexpr int segments_at_once(index_t count, int multiprocessors,
                                               index_t fitting = 0) {
  const auto least = [=](int each) {
    const int warps =
        each <= fitting ? segments_tuning.staging_warps_per_sm : segments_tuning.warps_per_sm;
    return index_t{each} * warps * multiprocessors;
  };
  int each = segment_warp;
  while (each > 1 && count < least(each)) each /= 2;
  return each;
}

}  // namespace tandem::cuda_impl
