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

/// What of a problem decides how its slices are read.
struct axis_shape {
  index_t terms;                  ///< of each slice
  index_t inner;                  ///< neighbouring outputs
  bool side_by_side;              ///< neighbouring outputs have neighbouring terms
  bool commutative;               ///< else the ordered shape
  std::size_t accumulator_bytes;  ///< of one accumulator
  int lanes;                      ///< of the commutative shape
  int tile;                       ///< terms of a tile of that shape
  bool word_rows = false;         ///< rows begin and end at boundaries of 16 bytes
  bool word_columns = false;      ///< columns do so at boundaries of a word
  index_t deep_rows = 0;          ///< terms from which on columns pay for many rows in flight
};

/// How slices are read and folded.
enum class axis_method {
  ordered_rows,       ///< the ordered shape
  thread_rows,        ///< a thread per slice, all of its loads in flight together
  columns,            ///< neighbouring threads read neighbouring slices
  short_rows,         ///< a team per slice of one tile
  long_rows,          ///< teams share the tiles of slices
  word_rows_2,        ///< as short_rows, in words of 16 bytes by teams of 2 threads at most
  word_rows_4,        ///< by 4 threads at most
  word_rows_8,        ///< by 8
  word_rows_16,       ///< by 16
  long_word_rows,     ///< as long_rows, in words
  word_columns,       ///< as columns, in words, few rows in flight
  deep_word_columns,  ///< as columns, in words, many rows in flight
};

constexpr bool reads_word_rows(axis_method method) {
  return method >= axis_method::word_rows_2 && method <= axis_method::long_word_rows;
}
constexpr bool reads_word_columns(axis_method method) {
  return method == axis_method::word_columns || method == axis_method::deep_word_columns;
}

/// The method for contiguous rows at boundaries of words. The more terms, the wider the team.
constexpr axis_method plan_word_rows(const axis_shape& shape) {
  if (shape.terms > shape.tile) return axis_method::long_word_rows;
  if (shape.terms > 4 * shape.lanes) return axis_method::word_rows_16;
  if (shape.terms > shape.lanes) return axis_method::word_rows_8;
  if (shape.terms > shallow_lanes) return axis_method::word_rows_4;
  return axis_method::word_rows_2;
}

/// The method for slices that are read term by term.
constexpr axis_method plan_single_terms(const axis_shape& shape) {
  if (!shape.commutative) return axis_method::ordered_rows;
  if (shape.accumulator_bytes <= 16 && shape.terms <= shallow_lanes)
    return axis_method::thread_rows;
  if (shape.accumulator_bytes <= 32 && shape.side_by_side && shape.inner >= min_columns)
    return axis_method::columns;
  return shape.terms <= shape.tile ? axis_method::short_rows : axis_method::long_rows;
}

/// The method for a problem.
constexpr axis_method plan_axis(const axis_shape& shape) {
  if (shape.word_rows && !shape.side_by_side && shape.terms > shallow_lanes / 2)
    return plan_word_rows(shape);
  if (shape.word_columns && shape.side_by_side && shape.terms > shallow_lanes &&
      shape.inner >= min_columns)
    return shape.terms >= shape.deep_rows ? axis_method::deep_word_columns
                                          : axis_method::word_columns;
  return plan_single_terms(shape);
}

}  // namespace tandem::cuda_impl
