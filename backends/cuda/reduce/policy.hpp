// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of reductions on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Most threads per block, whatever is reduced. Small inputs run in smaller blocks.
inline constexpr int reduce_block = 256;

/// How one kind of tile is mapped onto a block.
struct reduce_policy {
  /// Loads that a thread issues before it combines the first.
  int batch;
  /// Blocks that each multiprocessor must be able to hold, for __launch_bounds__; 0 leaves the
  /// registers to the compiler.
  int min_blocks_per_sm;
  /// Partial results per lane of the last block: 64 bytes of them, a power of two.
  int partials;
};

/// Reductions through a function object, one term per load. 32 loads of 4 bytes in 768 threads keep
/// more bytes in flight than the latency needs, but the lanes of a warp issue and wait together.
/// Left alone, ptxas allocates too few registers for half of those loads. Terms of a grid take many
/// instructions for their indices, which more warps hide better. With larger accumulators, as many
/// loads as leave registers for the user's own function.
constexpr reduce_policy select_reduce(std::size_t accumulator_bytes, bool is_grid = false) {
  if (accumulator_bytes <= 4 && is_grid)
    return {.batch = 16, .min_blocks_per_sm = 4, .partials = 16};
  if (accumulator_bytes <= 8 && is_grid) return {.batch = 8, .min_blocks_per_sm = 4, .partials = 8};
  if (accumulator_bytes <= 4) return {.batch = 32, .min_blocks_per_sm = 2, .partials = 16};
  if (accumulator_bytes <= 8) return {.batch = 16, .min_blocks_per_sm = 2, .partials = 8};
  if (accumulator_bytes <= 16) return {.batch = 8, .min_blocks_per_sm = 0, .partials = 4};
  if (accumulator_bytes <= 32) return {.batch = 4, .min_blocks_per_sm = 0, .partials = 2};
  return {.batch = 2, .min_blocks_per_sm = 0, .partials = 1};
}

/// Rows of 16-byte loads that a thread keeps in flight where elements are contiguous and aligned:
/// 64 registers.
inline constexpr int vector_batch = 16;

/// Blocks of reduce_block threads per multiprocessor for 16-byte loads. Left alone, ptxas allocates
/// registers for a few loads in flight: enough at full occupancy, but a small input then waits for
/// memory several times. A bound of three blocks lets a thread issue a whole batch. Threads that
/// unpack many elements per word get more registers.
constexpr int vector_blocks_per_sm(std::size_t element_bytes, std::size_t accumulator_bytes) {
  if (element_bytes < 4) return accumulator_bytes <= 2 ? 2 : 1;
  const std::size_t registers = 16 / element_bytes * ((accumulator_bytes + 3) / 4);
  return registers <= 16 ? 3 : 1;
}

/// Tiles whose rows are shorter than a line of 128 bytes, which go through shared memory. Few,
/// close streams suit memory best, so that fewer warps than fit are the faster choice.
struct narrow_rows_policy {
  int block;              ///< most threads per block
  int min_blocks_per_sm;  ///< for __launch_bounds__
  int pieces;             ///< stages per warp in shared memory
  int rows;               ///< rows of each tile per stage
};
inline constexpr narrow_rows_policy narrow_rows{
    .block = 128, .min_blocks_per_sm = 4, .pieces = 4, .rows = 4};

/// Rows of 16-byte loads per group of argmin and argmax: two groups at half of vector_batch, one in
/// flight while the thread searches the other.
inline constexpr int argminmax_batch = 8;
/// Three blocks are faster than two where 80 registers are enough: for floats.
constexpr int argminmax_blocks_per_sm(bool is_float) { return is_float ? 3 : 2; }

/// Most threads per block of the ordered shape. A block transposes strided loads into contiguous
/// segments through shared memory, 16 or 17 accumulators per thread: at most 34 KiB of the 48 KiB
/// that need no opt-in. Of large accumulators a block keeps 16 per warp there, up to 32 KiB.
constexpr int select_ordered_block(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 256 : accumulator_bytes <= 512 ? 128 : 64;
}

/// Accumulators above this size are loaded in their order, without the transposition in shared
/// memory.
inline constexpr std::size_t max_transposed_bytes = 16;

/// How many work items a warp takes. A work item is what a warp folds at a time: one tile, or
/// adjacent ones.
struct work_item_policy {
  /// Most items per warp, one after the other.
  int max_items_per_warp;
  /// Most items per warp of a grid that fits the machine, whose warps start together and should end
  /// together, which long ones do not.
  int max_items_in_one_wave;
  /// Fewest warps per multiprocessor, of the 24 or 32 that it runs at once. A grid that fits the
  /// machine has one to two times as many; with more, the last warps would wait for the others.
  int min_warps_per_sm;
  /// Grids that do not fit the machine have at least this many times as many warps, so that the
  /// last of them leave little of it idle.
  int min_waves;
};

/// Items of 8 KiB or 16 KiB.
inline constexpr work_item_policy lane_items{
    .max_items_per_warp = 4, .max_items_in_one_wave = 4, .min_warps_per_sm = 15, .min_waves = 8};
/// Narrow rows, where a warp copies the next item while it folds one.
inline constexpr work_item_policy narrow_items{
    .max_items_per_warp = 4, .max_items_in_one_wave = 4, .min_warps_per_sm = 15, .min_waves = 4};
/// Items of 4 KiB, for argmin and argmax.
inline constexpr work_item_policy argminmax_items{
    .max_items_per_warp = 64, .max_items_in_one_wave = 16, .min_warps_per_sm = 15, .min_waves = 8};
/// Items of 2 KiB, for the ordered shape, which a lane reads in steps of 4 bytes.
inline constexpr work_item_policy ordered_items{
    .max_items_per_warp = 16, .max_items_in_one_wave = 16, .min_warps_per_sm = 15, .min_waves = 4};

/// Grid of a reduction.
struct reduce_grid {
  index_t blocks;
  int warps;           ///< per block, a power of two
  int items_per_warp;  ///< a power of two

  friend constexpr bool operator==(const reduce_grid&, const reduce_grid&) = default;
};

/// The grid for `items` work items whose results the device combines.
constexpr reduce_grid select_grid(index_t items, int max_warps, const work_item_policy& policy,
                                  int multiprocessors) {
  const index_t enough = index_t{policy.min_warps_per_sm} * multiprocessors;
  const bool fits = items < 2 * enough * policy.max_items_in_one_wave;
  const index_t least = fits ? enough : policy.min_waves * enough;
  int each = fits ? 1 : 2;
  while (each < policy.max_items_per_warp && items / (2 * each) >= least) each *= 2;
  const index_t total = (items + each - 1) / each;
  // Small grids run as small blocks on all multiprocessors.
  int warps = 1;
  while (warps < max_warps && total / (2 * warps) >= multiprocessors) warps *= 2;
  return {(total + warps - 1) / warps, warps, each};
}

/// Most 32-bit words that the host combines, and most blocks of whole tiles. Beyond that the device
/// is sooner done.
inline constexpr int max_host_words = 128;
inline constexpr int max_host_blocks = 64;

/// The grid for `items` work items where the host combines the blocks' results, of `words` 32-bit
/// words each; 0 blocks where those would be too many.
///
/// That saves the last block's work: a fence, an atomic and a read of what the others left.
constexpr reduce_grid select_host_grid(index_t items, int max_warps, int words) {
  const int max_blocks =
      words * max_host_blocks <= max_host_words ? max_host_blocks : max_host_words / words;
  int warps = 1;
  while (warps < max_warps && (items + warps - 1) / warps > max_blocks) warps *= 2;
  const index_t blocks = (items + warps - 1) / warps;
  return {blocks <= max_blocks ? blocks : 0, warps, 1};
}

/// Terms per thread where many threads share a tile (small_kernel.cuh).
inline constexpr int small_terms_per_thread = 8;
/// Most threads per block. The device combines the results of more blocks than the host would.
template <bool HostCombines>
inline constexpr int small_block = HostCombines ? 1024 : 512;

/// Shared memory for a block's tiles, which needs no opt-in.
inline constexpr int small_shared_bytes = 32 * 1024;

/// Most tiles per block of the small kernel, a power of two; 0 where none fits.
constexpr int max_small_tiles(int tile_terms, int tile_bytes, int block) {
  int tiles = 4;
  while (tiles > 0 && (tiles * tile_bytes > small_shared_bytes ||
                       tiles * tile_terms > block * small_terms_per_thread))
    tiles /= 2;
  return tiles;
}

/// Grid of the small kernel.
struct small_grid {
  index_t blocks;  ///< 0: too many for the host
  int tiles;       ///< per block, a power of two
};

/// From this many blocks on, one more costs the host as much as one more tile costs the block.
inline constexpr index_t few_small_blocks = 16;

/// The small kernel's grid for `tiles` tiles, whose blocks' results, of `words` 32-bit words each,
/// the host combines.
constexpr small_grid select_small_grid(index_t tiles, int max_tiles, int words) {
  int each = 1;
  while (each < max_tiles && (tiles + each - 1) / each > few_small_blocks) each *= 2;
  const index_t blocks = (tiles + each - 1) / each;
  return {words * blocks <= max_host_words ? blocks : 0, each};
}

/// The small kernel's grid for `tiles` tiles whose results the device combines: larger blocks once
/// there are two for each multiprocessor.
constexpr reduce_grid select_small_device_grid(index_t tiles, int max_tiles, int multiprocessors) {
  int each = 1;
  while (each < max_tiles && tiles / (2 * each) >= 2 * multiprocessors) each *= 2;
  return {(tiles + each - 1) / each, 0, each};
}

/// Tiles per multiprocessor up to which the device combines the small kernel's results: so few
/// warps as would fold them one tile each leave most of a multiprocessor idle.
inline constexpr int most_small_tiles_per_sm = 8;

/// When CUB's device-wide reduction takes the place of tandem's kernels, where order cannot change
/// a result (cub.hpp).
struct cub_reduce_policy {
  std::size_t min_bytes;  ///< of elements
};
/// One kernel that starts early is sooner done than CUB's two until both run at the memory's speed
/// (docs/decisions/0019-cub-in-reductions.md).
inline constexpr cub_reduce_policy cub_reduce{.min_bytes = std::size_t{1} << 32};

/// Whether CUB reduces n elements of a size.
constexpr bool selects_cub(index_t n, std::size_t element_bytes) {
  return static_cast<std::size_t>(n) >= cub_reduce.min_bytes / element_bytes;
}

/// What of a tile and its accumulator shapes a reduction's grid.
struct reduce_shape {
  index_t item_elements;    ///< terms per work item
  int max_warps;            ///< per block
  work_item_policy items;   ///< work items per warp
  int words;                ///< 32-bit words of an accumulator; 0 where the host takes no values
  int small_tile = 0;       ///< terms of a tile of the small kernel; 0 where that does not serve
  int max_small_tiles = 0;  ///< per block, where the host combines
  int max_small_device_tiles = 0;  ///< per block, where the device combines
};

/// The kernel of a reduction, and who combines the results of its blocks.
enum class reduce_method {
  small_host_combines,    ///< many warps per tile; the host combines
  small_device_combines,  ///< many warps per tile; the last block combines
  host_combines,          ///< a warp per work item; the host combines
  device_combines,        ///< a warp per work item; the last block combines
};

/// A reduction's method and grid. Of a small kernel the grid says blocks and tiles per block.
struct reduce_plan {
  reduce_method method;
  reduce_grid grid;

  /// Whether many warps share a tile (small_kernel.cuh).
  constexpr bool is_small() const {
    return method == reduce_method::small_host_combines ||
           method == reduce_method::small_device_combines;
  }
  constexpr bool device_combines() const {
    return method == reduce_method::small_device_combines ||
           method == reduce_method::device_combines;
  }

  /// Values that the host receives.
  constexpr index_t results() const { return device_combines() ? 1 : grid.blocks; }
  friend constexpr bool operator==(const reduce_plan&, const reduce_plan&) = default;
};

/// The plan of a reduction of n terms whose result stays on the device.
constexpr reduce_plan plan_on_device(const reduce_shape& shape, index_t n, int multiprocessors) {
  if (shape.max_small_device_tiles > 0) {
    const index_t tiles = (n + shape.small_tile - 1) / shape.small_tile;
    if (tiles <= index_t{most_small_tiles_per_sm} * multiprocessors) {
      return {reduce_method::small_device_combines,
              select_small_device_grid(tiles, shape.max_small_device_tiles, multiprocessors)};
    }
  }
  const index_t items = (n + shape.item_elements - 1) / shape.item_elements;
  return {reduce_method::device_combines,
          select_grid(items, shape.max_warps, shape.items, multiprocessors)};
}

/// The plan of a reduction of n terms whose result the host waits for.
constexpr reduce_plan plan_for_host(const reduce_shape& shape, index_t n, int multiprocessors) {
  if (shape.max_small_tiles > 0) {
    const index_t tiles = (n + shape.small_tile - 1) / shape.small_tile;
    const small_grid grid = select_small_grid(tiles, shape.max_small_tiles, shape.words);
    if (grid.blocks > 0) return {reduce_method::small_host_combines, {grid.blocks, 0, grid.tiles}};
  } else {
    const index_t items = (n + shape.item_elements - 1) / shape.item_elements;
    const reduce_grid grid = select_host_grid(items, shape.max_warps, shape.words);
    if (grid.blocks > 0) return {reduce_method::host_combines, grid};
  }
  return plan_on_device(shape, n, multiprocessors);
}

}  // namespace tandem::cuda_impl
