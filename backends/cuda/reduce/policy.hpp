// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of reductions on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Most threads per block for any reduction. Small inputs run in smaller blocks.
inline constexpr int reduce_block = 256;

/// How one kind of tile is mapped onto a block.
struct reduce_policy {
  /// Loads that a thread issues before it combines the first.
  int batch;
  /// Blocks that each multiprocessor must be able to hold, for __launch_bounds__; 0 leaves the
  /// registers to the compiler.
  int min_blocks_per_sm;
  /// Partial results per lane of the last block: 64 to 256 bytes' worth, a power of two.
  int partials;
};

/// Returns the policy for reductions through a function object, with one term per load. 32 loads of
/// 4 bytes in 768 threads keep more bytes in flight than the latency requires, but the lanes of a
/// warp issue and wait together. Without a bound, ptxas allocates too few registers for half of
/// those loads. Terms of a grid take many instructions for their indices, which more warps hide
/// better. Larger accumulators have only as many loads as leave registers for the function; a
/// bound of one block lets ptxas allocate enough for them.
constexpr reduce_policy select_reduce(std::size_t accumulator_bytes, bool is_grid = false) {
  if (accumulator_bytes <= 4 && is_grid)
    return {.batch = 16, .min_blocks_per_sm = 4, .partials = 16};
  if (accumulator_bytes <= 8 && is_grid) return {.batch = 8, .min_blocks_per_sm = 4, .partials = 8};
  if (accumulator_bytes <= 4) return {.batch = 32, .min_blocks_per_sm = 2, .partials = 16};
  if (accumulator_bytes <= 8) return {.batch = 16, .min_blocks_per_sm = 2, .partials = 8};
  if (accumulator_bytes <= 16) return {.batch = 8, .min_blocks_per_sm = 0, .partials = 4};
  if (accumulator_bytes <= 64) return {.batch = 4, .min_blocks_per_sm = 1, .partials = 4};
  return {.batch = 2, .min_blocks_per_sm = 0, .partials = 1};
}

/// Rows of 16-byte loads that a thread keeps in flight if elements are contiguous and aligned: 64
/// registers.
inline constexpr int vector_batch = 16;

/// Blocks of reduce_block threads per multiprocessor for 16-byte loads. Without a bound, ptxas
/// allocates registers for only a few loads in flight. That suffices at full occupancy, but a small
/// input then waits for memory several times. A bound of three blocks lets a thread issue a whole
/// batch. Threads that unpack many elements per word get more registers.
constexpr int vector_blocks_per_sm(std::size_t element_bytes, std::size_t accumulator_bytes) {
  if (element_bytes < 4) return accumulator_bytes <= 2 ? 2 : 1;
  const std::size_t registers = 16 / element_bytes * ((accumulator_bytes + 3) / 4);
  return registers <= 16 ? 3 : 1;
}

/// Tiles whose rows are shorter than a 128-byte line, which go through shared memory. Memory
/// favours a few adjacent streams, so fewer warps than fit are the faster choice.
struct narrow_rows_policy {
  int block;              ///< most threads per block
  int min_blocks_per_sm;  ///< for __launch_bounds__
  int pieces;             ///< stages per warp in shared memory
  int rows;               ///< rows of each tile per stage
};
inline constexpr narrow_rows_policy narrow_rows{
    .block = 128, .min_blocks_per_sm = 4, .pieces = 4, .rows = 4};

/// Rows of 16-byte loads per group of argmin and argmax: two groups of half of vector_batch, one of
/// which is in flight while the thread searches the other.
inline constexpr int argminmax_batch = 8;
/// Three blocks are faster than two if 80 registers suffice, which is true for floats.
constexpr int argminmax_blocks_per_sm(bool is_float) { return is_float ? 3 : 2; }

/// Most threads per block of the ordered shape. A block transposes strided loads into contiguous
/// segments through shared memory, 16 or 17 accumulators per thread: at most 34 KiB of the 48 KiB
/// that need no opt-in. For large accumulators, a block keeps 16 per warp there, up to 32 KiB.
constexpr int select_ordered_block(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 256 : accumulator_bytes <= 512 ? 128 : 64;
}

/// Larger accumulators are loaded in order, without being transposed in shared memory.
inline constexpr std::size_t max_transposed_bytes = 16;

/// How many work items a warp processes. A work item is what a warp folds at a time: one tile, or
/// several adjacent ones.
struct work_item_policy {
  /// Most items per warp, in sequence.
  int max_items_per_warp;
  /// Most items per warp of a grid that fits the machine. Its warps start together and should end
  /// together, which long ones do not.
  int max_items_in_one_wave;
  /// Fewest warps per multiprocessor, of the 24 or 32 that can be resident. A grid that fits the
  /// machine has one to two times as many; with more, the last warps would wait for the others.
  int min_warps_per_sm;
  /// Grids that do not fit the machine have at least this many times as many warps, so that the
  /// last of them leave little of it idle.
  int min_waves;
};

/// Items of 8 KiB or 16 KiB.
inline constexpr work_item_policy lane_items{
    .max_items_per_warp = 4, .max_items_in_one_wave = 4, .min_warps_per_sm = 15, .min_waves = 8};
/// Narrow rows, for which a warp copies the next item while it folds one.
inline constexpr work_item_policy narrow_items{
    .max_items_per_warp = 4, .max_items_in_one_wave = 4, .min_warps_per_sm = 15, .min_waves = 4};
/// Items of 4 KiB, for argmin and argmax.
inline constexpr work_item_policy argminmax_items{
    .max_items_per_warp = 64, .max_items_in_one_wave = 16, .min_warps_per_sm = 15, .min_waves = 8};
/// Items of 2 KiB, for the ordered shape, which a lane reads in steps of 4 bytes.
inline constexpr work_item_policy ordered_items{
    .max_items_per_warp = 16, .max_items_in_one_wave = 16, .min_warps_per_sm = 15, .min_waves = 4};

/// Most 32-bit words that the host combines, and most blocks of whole tiles. Beyond that, combining
/// on the device is faster.
inline constexpr int max_host_words = 128;
inline constexpr int max_host_blocks = 64;

/// Terms per thread if many threads share a tile (small_kernel.cuh). Terms of several results take
/// several loads each.
constexpr int small_terms_per_thread(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 16 ? 8 : 4;
}
/// Most threads per block. The device can combine the results of more blocks than the host.
template <bool HostCombines>
inline constexpr int small_block = HostCombines ? 1024 : 512;

/// Shared memory for a block's tiles, which needs no opt-in: a tile of five doubles' sums.
inline constexpr int small_shared_bytes = 40 * 1024;

/// Most tiles per block of the small kernel, a power of two; 0 if none fits.
constexpr int max_small_tiles(int tile_terms, std::size_t accumulator_bytes, int block) {
  const int tile_bytes = tile_terms * static_cast<int>(accumulator_bytes);
  int tiles = 4;
  while (tiles > 0 && (tiles * tile_bytes > small_shared_bytes ||
                       tiles * tile_terms > block * small_terms_per_thread(accumulator_bytes)))
    tiles /= 2;
  return tiles;
}

/// From this many blocks, one more block costs the host as much as one more tile costs the block.
inline constexpr index_t few_small_blocks = 16;

/// Most tiles per multiprocessor for which the device combines the small kernel's results: 8, or as
/// many as are resident in 200 KiB. Folding them with one warp per tile would leave most of a
/// multiprocessor idle.
constexpr int most_small_tiles_per_sm(int tile_bytes) {
  const int resident = 200 * 1024 / tile_bytes;
  return resident < 8 ? resident : 8;
}

/// When CUB's device-wide reduction replaces tandem's kernels, for operations whose result does not
/// depend on the order (cub.hpp).
struct cub_reduce_policy {
  std::size_t min_bytes;  ///< of elements
};
/// A single kernel with programmatic launch beats CUB's two until both are bound by memory
/// bandwidth, from 512 MiB on (docs/decisions/0019-cub-in-reductions.md,
/// perf/scripts/cub_threshold.cu).
inline constexpr cub_reduce_policy cub_reduce{.min_bytes = std::size_t{1} << 29};

}  // namespace tandem::cuda_impl
