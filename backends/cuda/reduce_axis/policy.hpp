// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/integer_math.hpp>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of many reductions at once, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Threads of a block that reads columns.
inline constexpr int column_block = 256;

/// Threads side by side where columns are read in words of 16 bytes: 256 bytes of a row. With 8, a
/// row's 128 bytes cost 3 us of 125 (2^13 x 2^14 floats); with 32, blocks are so few that the last
/// ones run alone.
inline constexpr int word_columns_across = 16;

/// Slices of at most so many terms are read by a thread each, or by two, which know of no more
/// lanes: every shape has that many.
inline constexpr int shallow_lanes = 16;

/// Most counters that the blocks of one launch may use: 256 are there (runtime.cuh). Slices, or
/// blocks of columns, beyond that many share one.
inline constexpr index_t most_axis_counters = 256;

/// Fewest neighbouring outputs for which threads are spread over them: half a warp. Narrower
/// matrices are read slice by slice, and their sectors come from L1.
inline constexpr index_t least_columns = 16;

/// Registers of 32 bits that hold one value.
constexpr int registers_of(std::size_t bytes) { return static_cast<int>((bytes + 3) / 4); }

/// Blocks that a multiprocessor shall hold where a thread keeps `registers` registers of lanes and
/// loads under way: what 65536 allow with 40 for everything else. Left alone, ptxas takes 40 in all
/// and starts the loads one by one; told of more blocks than fit, it spills.
constexpr int resident_blocks(int threads, int registers) {
  const int blocks = 65536 / (threads * (registers + 40));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/// Loads of one thread under way, for accumulators of a size: as many words of 16 bytes as 64
/// registers hold, and fewer beside large accumulators.
constexpr int batch_of(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 16 : accumulator_bytes <= 16 ? 8 : 4;
}

/// Blocks from which on a team folds several tiles of long slices, one after the other. Below,
/// every block counts.
inline constexpr index_t slice_blocks = 4096;

/// How the tiles of slices are shared out.
struct slice_plan {
  int tiles;   ///< adjacent tiles of a slice that a block takes: a power of two
  int each;    ///< tiles of a team
  int chunks;  ///< blocks of one slice

  friend constexpr bool operator==(const slice_plan&, const slice_plan&) = default;
};

/// Slices of `tiles` tiles in blocks of `teams` teams; a block takes at least `least` tiles of one,
/// and a team at most `most_each`. Short slices come several a block, long ones are cut into chunks
/// for several blocks.
constexpr slice_plan plan_slices(index_t slices, index_t tiles, int teams, int most_each,
                                 int least) {
  int each = 1;
  while (each < most_each && slices * tiles / (teams * each) >= slice_blocks) each *= 2;
  const int taken = power_of_two_for(tiles, teams * each);
  const int held = taken < least ? least : taken;
  return {held, each, static_cast<int>((tiles + held - 1) / held)};
}

/// Outputs, or blocks of columns, that share a counter.
constexpr index_t counter_sharing(index_t cells) {
  return (cells + most_axis_counters - 1) / most_axis_counters;
}

/// Runs of `run` parts that are combined on the way to a column's result, or 0 where that is not
/// worth a second counter or counters are short.
constexpr int column_nodes(index_t cells, index_t tiles, int run) {
  const index_t nodes = (tiles + run - 1) / run;
  return nodes > 1 && cells * (nodes + 1) <= most_axis_counters ? static_cast<int>(nodes) : 0;
}

}  // namespace tandem::cuda_impl
