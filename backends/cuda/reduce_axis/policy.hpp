// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of many reductions at once, as data. Changes no result.
namespace tandem::cuda_impl {

/// Threads per block that reads columns.
inline constexpr int column_block = 256;

/// Threads along a row if columns are read in 16-byte words: 256 bytes of the row. Fewer threads
/// read too little of a row at a time; with more, there are so few blocks that the last ones run
/// alone.
inline constexpr int word_columns_across = 16;

/// Threads along a row if columns are read in elements of at most 4 bytes and there are many. Rows
/// may begin anywhere in a sector, so longer pieces of them share fewer sectors with other blocks.
inline constexpr int wide_columns_across = 64;

/// Whether as many blocks of wide columns as are complete occupy the device.
constexpr bool are_enough_wide_columns(index_t blocks, int multiprocessors) {
  return blocks >= (index_t{3} * multiprocessors + 1) / 2;
}

/// One or two threads read each slice of at most this many terms and keep at most this many lanes.
/// Every shape has that many.
inline constexpr int shallow_lanes = 16;

/// Most counters that the blocks of one launch may use, which are all that a stream has
/// (runtime/device_context.cuh). If there are more slices or blocks of columns, several share one.
inline constexpr index_t max_axis_counters = 256;

/// Fewest adjacent outputs over which to spread threads: half a warp. Narrower matrices are read
/// slice by slice, and L1 serves their sectors.
inline constexpr index_t min_columns = 16;

/// 32-bit registers that hold one value.
constexpr int registers_of(std::size_t bytes) { return static_cast<int>((bytes + 3) / 4); }

/// Blocks per multiprocessor for kernels whose threads keep `registers` registers of lanes and
/// in-flight loads: what 65536 registers permit with 40 more per thread for everything else.
/// Without this bound, ptxas allocates 40 in total and serialises the loads; if more blocks are
/// requested than fit, it spills.
constexpr int blocks_per_sm_for(int threads, int registers) {
  const int blocks = 65536 / (threads * (registers + 40));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/// Loads that a thread keeps in flight, by accumulator size: as many 16-byte words as 64 registers
/// hold, and fewer for large accumulators.
constexpr int loads_in_flight(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 16 : accumulator_bytes <= 16 ? 8 : 4;
}

/// From this many blocks, a team folds several tiles of long slices in sequence. With fewer, every
/// block counts.
inline constexpr index_t min_blocks_to_loop = 4096;

}  // namespace tandem::cuda_impl
