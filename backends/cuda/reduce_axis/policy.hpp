// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of many reductions at once, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Threads per block that reads columns.
inline constexpr int column_block = 256;

/// Threads side by side where columns are read in words of 16 bytes: 256 bytes of a row. Fewer read
/// too little of a row at a time; with more, blocks are so few that the last ones run alone.
inline constexpr int word_columns_across = 16;

/// Slices of at most this many terms are read by one thread each, or by two, which keep no more
/// lanes than that: every shape has that many.
inline constexpr int shallow_lanes = 16;

/// Most counters that the blocks of one launch may use, all that a stream has
/// (runtime/device_context.cuh). Beyond that many slices, or blocks of columns, several share one.
inline constexpr index_t max_axis_counters = 256;

/// Fewest neighbouring outputs to spread threads over: half a warp. Narrower matrices are read
/// slice by slice, and their sectors come from L1.
inline constexpr index_t min_columns = 16;

/// Registers of 32 bits that hold one value.
constexpr int registers_of(std::size_t bytes) { return static_cast<int>((bytes + 3) / 4); }

/// Blocks per multiprocessor for kernels whose threads keep `registers` registers of lanes and of
/// loads in flight: what 65536 registers allow with 40 per thread for everything else. Left alone,
/// ptxas allocates 40 in all and issues the loads one by one; asked for more blocks than fit, it
/// spills.
constexpr int blocks_per_sm_for(int threads, int registers) {
  const int blocks = 65536 / (threads * (registers + 40));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/// Loads that a thread keeps in flight, for accumulators of a size: as many words of 16 bytes as 64
/// registers hold, and fewer beside large accumulators.
constexpr int loads_in_flight(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 16 : accumulator_bytes <= 16 ? 8 : 4;
}

/// Blocks from which on a team folds several tiles of long slices, one after the other. With fewer,
/// every block counts.
inline constexpr index_t min_blocks_to_loop = 4096;

/// How the tiles of slices are distributed over blocks.
struct slice_plan {
  int tiles;           ///< adjacent tiles of a slice per block: a power of two
  int tiles_per_team;  ///< a power of two
  int chunks;          ///< blocks per slice

  friend constexpr bool operator==(const slice_plan&, const slice_plan&) = default;
};

/// The plan for slices of `tiles` tiles in blocks of `teams` teams. A block takes at least
/// `min_tiles` tiles of a slice, and a team at most `max_tiles_per_team`. Blocks take several short
/// slices, long slices are cut into chunks for several blocks.
constexpr slice_plan plan_slices(index_t slices, index_t tiles, int teams, int max_tiles_per_team,
                                 int min_tiles) {
  int each = 1;
  while (each < max_tiles_per_team && slices * tiles / (teams * each) >= min_blocks_to_loop)
    each *= 2;
  const int taken = power_of_two_for(tiles, teams * each);
  const int held = taken < min_tiles ? min_tiles : taken;
  return {held, each, static_cast<int>((tiles + held - 1) / held)};
}

/// Outputs, or blocks of columns, that share a counter.
constexpr index_t counter_sharing(index_t cells) {
  return (cells + max_axis_counters - 1) / max_axis_counters;
}

/// Runs of `run` partial results that are combined on the way to a column's result, or 0 where that
/// does not pay for a second counter, or counters are scarce.
constexpr int column_nodes(index_t cells, index_t tiles, int run) {
  const index_t nodes = (tiles + run - 1) / run;
  return nodes > 1 && cells * (nodes + 1) <= max_axis_counters ? static_cast<int>(nodes) : 0;
}

}  // namespace tandem::cuda_impl
