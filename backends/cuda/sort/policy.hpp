// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_key.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of sorts on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Most keys of one sort. Offsets have 32 bits; with 64, the kernels for pairs need more registers
/// and are much slower.
inline constexpr std::size_t max_sorted_keys = 0xffffffffu;

/// Shape of a pass of CUB's radix sort over one 8-bit digit.
struct radix_policy {
  int block;  ///< threads per block
  int items;  ///< keys per thread; a block keeps them all in its 48 KiB of shared memory
};

/// Returns the passes for compute capability 9.0. The time is not a smooth function of the number
/// of items, because the generated code differs, so these are the best of all measured values.
///
/// @param value_bytes  0 without values, or 4
constexpr radix_policy select_radix(std::size_t key_bytes, key_kind kind, sort_order order,
                                    std::size_t value_bytes) {
  const bool floating = kind == key_kind::floating_point;
  const bool up = order == sort_order::ascending;
  if (key_bytes == 8) return {.block = 384, .items = floating && up ? 13 : 15};
  if (value_bytes > 0) return {.block = 384, .items = 23};
  return {.block = 384, .items = !floating ? 19 : up ? 21 : 23};
}

/// Threads per block of a merge, and the blocks that should be resident, which limit its registers.
inline constexpr int merge_block = 256;
inline constexpr int merge_blocks_per_sm = 3;

/// Keys per thread of a merge. Odd numbers spread the threads' keys over the banks of shared
/// memory; two tiles, and positions of values, fit the 48 KiB that need no opt-in.
constexpr int merge_items_of(std::size_t key_bytes) { return key_bytes == 8 ? 9 : 15; }

/// Most tiles of a block. Its 8 warps search one split each, which takes as long as a tile.
inline constexpr int most_merge_tiles = 7;

/// Tiles per block: several if blocks still outnumber those that are resident.
constexpr int merge_tiles_per_block(index_t tiles, int multiprocessors) {
  const index_t each = tiles / (index_t{merge_blocks_per_sm} * multiprocessors);
  return each < 1 ? 1 : each < most_merge_tiles ? static_cast<int>(each) : most_merge_tiles;
}

}  // namespace tandem::cuda_impl
