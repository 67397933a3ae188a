// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of reductions on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Most threads of a block, whatever is reduced. Small inputs take blocks of fewer.
inline constexpr int reduce_block = 256;

/// How one kind of tile is mapped onto a block.
struct reduce_policy {
  int batch;            ///< loads that a thread starts before it combines the first
  int resident_blocks;  ///< blocks that a multiprocessor shall hold; 0 for the compiler's choice
  int partials;  ///< partial results that a lane of the last block takes: 64 bytes, a power of two
};

/// Reductions through a function object, one term a load. 32 loads of 4 bytes on 768 threads are
/// 98 KB in flight on a multiprocessor; 21 KB cover the latency (4.3 TB/s x 650 ns / 132), but the
/// lanes of a warp come and go together. Left alone, ptxas takes 40 registers, which hold half of
/// those loads: 129.8 us for 2^27 terms rather than 123.8. Larger accumulators: as many loads as
/// leave the registers for the user's own function.
constexpr reduce_policy select_reduce(std::size_t accumulator_bytes) {
  if (accumulator_bytes <= 4) return {.batch = 32, .resident_blocks = 2, .partials = 16};
  if (accumulator_bytes <= 8) return {.batch = 16, .resident_blocks = 2, .partials = 8};
  if (accumulator_bytes <= 16) return {.batch = 8, .resident_blocks = 0, .partials = 4};
  if (accumulator_bytes <= 32) return {.batch = 4, .resident_blocks = 0, .partials = 2};
  return {.batch = 2, .resident_blocks = 0, .partials = 1};
}

/// Rows of 16-byte loads that a thread has in flight where elements are contiguous and aligned: 64
/// registers.
inline constexpr int vector_batch = 16;

/// Blocks of reduce_block threads that a multiprocessor shall hold of them. Left alone, ptxas picks
/// 40 registers and keeps 6 loads in flight: enough at six blocks, but a small input then waits six
/// times for memory. Told of three blocks, it starts 16 at once. Threads with words of many
/// elements to take apart get more registers.
constexpr int vector_resident_blocks(std::size_t element_bytes, std::size_t accumulator_bytes) {
  if (element_bytes < 4) return accumulator_bytes <= 2 ? 2 : 1;
  const std::size_t registers = 16 / element_bytes * ((accumulator_bytes + 3) / 4);
  return registers <= 16 ? 3 : 1;
}

/// Tiles whose rows are less than a line, read through shared memory. Four results of 2^27 floats
/// take 128 us on an H200 with 16 warps a multiprocessor, 131 with 12, 130 with 20, 133 with 24;
/// straight to registers 136, a sum 125.
struct narrow_rows_policy {
  int block;            ///< most threads of a block
  int resident_blocks;  ///< blocks that a multiprocessor shall hold
  int pieces;           ///< of a warp in shared memory at a time
  int rows;             ///< of each tile in a piece
};
inline constexpr narrow_rows_policy narrow_rows{
    .block = 128, .resident_blocks = 4, .pieces = 4, .rows = 4};

/// The same where positions are looked for: two batches of half the size, one on its way while the
/// other is looked at.
inline constexpr int extreme_batch = 8;
/// Three blocks are 1 % faster than two, where 80 registers are enough: for floats.
constexpr int extreme_resident_blocks(bool is_float) { return is_float ? 3 : 2; }

/// Most threads of a block of the ordered shape. A block turns strided loads into contiguous
/// segments through shared memory, 16 or 17 accumulators a thread: at most 34 KB of the 48 KB that
/// need no opt-in.
constexpr int select_ordered_block(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 256 : 128;
}

/// Accumulators above this size are loaded in their order, without the detour through shared
/// memory.
inline constexpr std::size_t most_staged_bytes = 16;

/// Units of one kind of tile for a warp.
struct unit_policy {
  int most_each;  ///< most of them, one after the other
  /// Most of them in a grid that fits the machine. Its warps start and should end together, which
  /// the longer ones do not: positions in 2^27 floats 133 us with 64 groups a warp, 125 with 16.
  int most_each_of_one_wave;
  /// Warps that each multiprocessor shall get at least, of the 24 or 32 that it runs at once. A
  /// grid that fits the machine then takes from 1 to 2 times as many: 2^24 floats 19.7 us as 2048
  /// warps of two units on an H200, 21.0 as 4096 warps of one, whose last 900 wait for the others.
  int resident_warps;
  /// Grids that do not fit the machine are cut into at least this many times as many warps, so that
  /// the last of them leave little of it idle.
  int least_waves;
};

/// Units of 8 KB or 16 KB: 2^27 floats take 122.3 us as 16384 warps of two units, 123.3 as 8192 of
/// four (126 on another machine) and 126 as 32768 of one.
inline constexpr unit_policy lane_units{
    .most_each = 4, .most_each_of_one_wave = 4, .resident_warps = 15, .least_waves = 8};
/// The same of narrow rows, where a warp copies the next unit while it folds one: 128 us with four,
/// 132 with two.
inline constexpr unit_policy narrow_units{
    .most_each = 4, .most_each_of_one_wave = 4, .resident_warps = 15, .least_waves = 4};
/// Of 4 KB, for positions.
inline constexpr unit_policy extreme_units{
    .most_each = 64, .most_each_of_one_wave = 16, .resident_warps = 15, .least_waves = 8};
/// Of 2 KB, for the ordered shape, read by steps of 4 bytes a lane.
inline constexpr unit_policy ordered_units{
    .most_each = 16, .most_each_of_one_wave = 16, .resident_warps = 15, .least_waves = 4};

/// Grid of a reduction. A unit is what a warp folds at a time: one tile, or adjacent ones.
struct reduce_grid {
  index_t blocks;
  int warps;  ///< of a block, a power of two
  int each;   ///< units of a warp, a power of two
};

/// How `units` units are laid over a GPU when the device finishes the reduction.
constexpr reduce_grid select_grid(index_t units, int most_warps, const unit_policy& policy,
                                  int multiprocessors) {
  const index_t enough = index_t{policy.resident_warps} * multiprocessors;
  const bool fits = units < 2 * enough * policy.most_each_of_one_wave;
  const index_t least = fits ? enough : policy.least_waves * enough;
  int each = fits ? 1 : 2;
  while (each < policy.most_each && units / (2 * each) >= least) each *= 2;
  const index_t total = (units + each - 1) / each;
  // Small grids as small blocks, on all multiprocessors.
  int warps = 1;
  while (warps < most_warps && total / (2 * warps) >= multiprocessors) warps *= 2;
  return {(total + warps - 1) / warps, warps, each};
}

/// Words of 32 bits that the host takes at once, and blocks of whole tiles: 64 of one word are a
/// microsecond of a core's time. More than that is combined sooner on the device.
inline constexpr int most_host_words = 128;
inline constexpr int most_host_blocks = 64;

/// How `units` units are laid over a GPU when the host combines the blocks' results, of `words`
/// words of 32 bits each. Of 0 blocks where those would be too many.
///
/// That saves the blocks a meeting: a fence, an atomic and a read of what the others left, 1.3 us
/// of the 9.1 that the host waits for 2^16 floats.
constexpr reduce_grid select_host_grid(index_t units, int most_warps, int words) {
  const int most_blocks =
      words * most_host_blocks <= most_host_words ? most_host_blocks : most_host_words / words;
  int warps = 1;
  while (warps < most_warps && (units + warps - 1) / warps > most_blocks) warps *= 2;
  const index_t blocks = (units + warps - 1) / warps;
  return {blocks <= most_blocks ? blocks : 0, warps, 1};
}

/// Terms that a thread loads where many threads share a tile (reduce_small.cuh). Of products of
/// floats 4, 8 and 16 take 8.2, 8.5 and 8.7 us at 2^10, the same up to 2^17, and at 2^20, where
/// blocks of 1024 threads have 2, 4 and 8 tiles, 16 are best.
inline constexpr int small_terms = 8;
inline constexpr int most_small_block = 1024;

/// Shared memory for a block's tiles, which needs no opt-in.
inline constexpr int small_room_bytes = 32 * 1024;

/// Most tiles of a block, a power of two; 0 where none fits.
constexpr int most_small_tiles(int tile_terms, int tile_bytes) {
  int tiles = 4;
  while (tiles > 0 && (tiles * tile_bytes > small_room_bytes ||
                       tiles * tile_terms > most_small_block * small_terms))
    tiles /= 2;
  return tiles;
}

/// Grid of such a reduction.
struct small_grid {
  index_t blocks;  ///< 0: too many for the host
  int tiles;       ///< of a block, a power of two
};

/// From this many blocks on, one more costs the host as much as a tile more costs the block.
inline constexpr index_t few_small_blocks = 16;

/// How `tiles` tiles are laid over blocks whose results, of `words` words of 32 bits, the host
/// combines.
constexpr small_grid select_small_grid(index_t tiles, int most_tiles, int words) {
  int each = 1;
  while (each < most_tiles && (tiles + each - 1) / each > few_small_blocks) each *= 2;
  const index_t blocks = (tiles + each - 1) / each;
  return {words * blocks <= most_host_words ? blocks : 0, each};
}

}  // namespace tandem::cuda_impl
