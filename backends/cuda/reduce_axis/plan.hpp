// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/reduce_axis/policy.hpp>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Which kernel reduces many slices, and how blocks share them. Plain C++, tested on the host.
/// Changes no result.
namespace tandem::cuda_impl {

/// How the tiles of slices are distributed over blocks.
struct slice_plan {
  int tiles;           ///< adjacent tiles of a slice per block: a power of two
  int tiles_per_team;  ///< a power of two
  int chunks;          ///< blocks per slice

  friend constexpr bool operator==(const slice_plan&, const slice_plan&) = default;
};

/// Plans slices of `tiles` tiles in blocks of `teams` teams. A block processes at least `min_tiles`
/// tiles of a slice, and a team at most `max_tiles_per_team`. Blocks process several short slices;
/// long slices are split into chunks across blocks.
constexpr slice_plan plan_slices(index_t slices, index_t tiles, int teams, int max_tiles_per_team,
                                 int min_tiles) {
  int each = 1;
  while (each < max_tiles_per_team && slices * tiles / (teams * each) >= min_blocks_to_loop)
    each *= 2;
  const int taken = power_of_two_for(tiles, teams * each);
  const int held = taken < min_tiles ? min_tiles : taken;
  return {held, each, static_cast<int>((tiles + held - 1) / held)};
}

/// Outputs, or blocks of columns, per counter.
constexpr index_t counter_sharing(index_t cells) {
  return (cells + max_axis_counters - 1) / max_axis_counters;
}

/// Number of runs of `run` partial results that are combined before a column's result, or 0 if that
/// does not justify a second counter or counters are scarce.
constexpr int column_nodes(index_t cells, index_t tiles, int run) {
  const index_t nodes = (tiles + run - 1) / run;
  return nodes > 1 && cells * (nodes + 1) <= max_axis_counters ? static_cast<int>(nodes) : 0;
}

/// The properties of a problem that determine how its slices are read.
struct axis_shape {
  index_t terms;                  ///< of each slice
  index_t inner;                  ///< adjacent outputs
  bool side_by_side;              ///< adjacent outputs have adjacent terms
  bool commutative;               ///< otherwise the ordered shape
  std::size_t accumulator_bytes;  ///< of one accumulator
  int lanes;                      ///< of the commutative shape
  int tile;                       ///< terms of a tile of that shape
  bool word_rows = false;         ///< rows begin and end at 16-byte boundaries
  bool word_columns = false;      ///< columns begin and end at word boundaries
  index_t deep_rows = 0;  ///< from this many terms, columns benefit from many rows in flight
};

/// How slices are read and folded.
enum class axis_method {
  ordered_rows,       ///< the ordered shape
  thread_rows,        ///< one thread per slice, all its loads in flight together
  columns,            ///< adjacent threads read adjacent slices
  short_rows,         ///< one team per slice of one tile
  long_rows,          ///< teams share the tiles of slices
  word_rows_2,        ///< as short_rows, in 16-byte words, teams of at most 2 threads
  word_rows_4,        ///< at most 4 threads
  word_rows_8,        ///< at most 8
  word_rows_16,       ///< at most 16
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

/// The method for contiguous, word-aligned rows. The more terms, the wider the team.
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
