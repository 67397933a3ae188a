// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Plans one reduction on a GPU, and who combines the results of its blocks, before anything runs.
/// Plain C++, tested on the host. Changes no result.
namespace tandem::cuda_impl {

/// Whether CUB reduces n elements of a given size.
constexpr bool selects_cub(index_t n, std::size_t element_bytes) {
  return static_cast<std::size_t>(n) >= cub_reduce.min_bytes / element_bytes;
}

/// Grid of a reduction.
struct reduce_grid {
  index_t blocks;
  int warps;           ///< per block, a power of two
  int items_per_warp;  ///< a power of two

  friend constexpr bool operator==(const reduce_grid&, const reduce_grid&) = default;
};

/// Returns the grid for `items` work items whose results the device combines.
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

/// Returns the grid for `items` work items if the host combines the blocks' results, of `words`
/// 32-bit words each; 0 blocks if there would be too many results.
///
/// Combining on the host saves the last block's work: a fence, an atomic and a read of what the
/// others left.
constexpr reduce_grid select_host_grid(index_t items, int max_warps, int words) {
  const int max_blocks =
      words * max_host_blocks <= max_host_words ? max_host_blocks : max_host_words / words;
  int warps = 1;
  while (warps < max_warps && (items + warps - 1) / warps > max_blocks) warps *= 2;
  const index_t blocks = (items + warps - 1) / warps;
  return {blocks <= max_blocks ? blocks : 0, warps, 1};
}

/// Grid of the small kernel.
struct small_grid {
  index_t blocks;  ///< 0: too many for the host
  int tiles;       ///< per block, a power of two
};

/// Returns the small kernel's grid for `tiles` tiles if the host combines the blocks' results, of
/// `words` 32-bit words each.
constexpr small_grid select_small_grid(index_t tiles, int max_tiles, int words) {
  int each = 1;
  while (each < max_tiles && (tiles + each - 1) / each > few_small_blocks) each *= 2;
  const index_t blocks = (tiles + each - 1) / each;
  return {words * blocks <= max_host_words ? blocks : 0, each};
}

/// Returns the small kernel's grid for `tiles` tiles if the device combines the results. Blocks
/// grow once there are two per multiprocessor.
constexpr reduce_grid select_small_device_grid(index_t tiles, int max_tiles, int multiprocessors) {
  int each = 1;
  while (each < max_tiles && tiles / (2 * each) >= 2 * multiprocessors) each *= 2;
  return {(tiles + each - 1) / each, 0, each};
}

/// The properties of a tile and its accumulator that determine a reduction's grid.
struct reduce_shape {
  index_t item_elements;           ///< terms per work item
  int max_warps;                   ///< per block
  work_item_policy items;          ///< work items per warp
  int words;                       ///< 32-bit words per accumulator; 0 if the host takes no values
  int small_tile = 0;              ///< terms of a tile of the small kernel; 0 if it does not apply
  int max_small_tiles = 0;         ///< per block, if the host combines
  int max_small_device_tiles = 0;  ///< per block, if the device combines
  int small_tiles_per_sm = 0;      ///< most of them if the device combines
};

/// The kernel of a reduction, and who combines the results of its blocks.
enum class reduce_method {
  small_host_combines,    ///< many warps per tile; the host combines
  small_device_combines,  ///< many warps per tile; the last block combines
  host_combines,          ///< one warp per work item; the host combines
  device_combines,        ///< one warp per work item; the last block combines
};

/// A reduction's method and grid. For a small kernel, the grid gives blocks and tiles per block.
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

/// Plans a reduction of n terms whose result stays on the device.
constexpr reduce_plan plan_on_device(const reduce_shape& shape, index_t n, int multiprocessors) {
  if (shape.max_small_device_tiles > 0) {
    const index_t tiles = (n + shape.small_tile - 1) / shape.small_tile;
    if (tiles <= index_t{shape.small_tiles_per_sm} * multiprocessors) {
      return {reduce_method::small_device_combines,
              select_small_device_grid(tiles, shape.max_small_device_tiles, multiprocessors)};
    }
  }
  const index_t items = (n + shape.item_elements - 1) / shape.item_elements;
  return {reduce_method::device_combines,
          select_grid(items, shape.max_warps, shape.items, multiprocessors)};
}

/// Plans a reduction of n terms for whose result the host waits.
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
