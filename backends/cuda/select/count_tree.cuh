// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/core/extents.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// The tree of tile counts above a selection. Level 0 holds the counts of the tiles; node g of
/// level k + 1 is the sum of nodes 32 g to 32 g + 31 of level k. The number of elements kept before
/// a tile is the sum of at most 31 nodes per level. One warp per level reads them concurrently, so
/// no dependency chain runs through the tiles.
///
/// A node is a 64-bit word whose highest bit is set, or zero until it is published.
class count_tree {
 public:
  static constexpr int max_levels = 7;  ///< for fewer than 2^31 tiles

  /// Bytes for `tiles` tiles, which must be zeroed before the kernel; 0 for a single tile.
  static std::size_t bytes(index_t tiles) {
    std::size_t nodes = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) nodes += static_cast<std::size_t>(tiles);
    return nodes * sizeof(word);
  }

  count_tree(void* memory, index_t tiles) : words_(static_cast<word*>(memory)) {
    index_t offset = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) {
      offset_[levels_++] = offset;
      offset += tiles;
    }
  }

  /// The number of levels, 0 for a single tile.
  __device__ int levels() const { return levels_; }

  __device__ void publish(int tile, int count) const {
    if (levels_ > 0) store_relaxed(words_ + tile, present | static_cast<word>(count));
  }

  /// Whether a tile is the last one below a node of the next level, in which case its block
  /// publishes that node.
  __device__ bool completes(int tile, int level) const {
    const unsigned below = (static_cast<unsigned>(radix) << (level * radix_bits)) - 1;
    return level + 1 < levels_ && (static_cast<unsigned>(tile) & below) == below;
  }

  /// Waits for the nodes below the one that a tile completes, then publishes their sum. Called by
  /// one warp.
  __device__ void warp_complete(int tile, int level) const {
    const int node = tile >> (level * radix_bits);
    const word all = warp_sum(wait(words_ + offset_[level] + node - (radix - 1) + lane_of_warp()));
    if (lane_of_warp() == 0)
      store_relaxed(words_ + offset_[level + 1] + node / radix, present | all);
  }

  /// Waits for the nodes before `tile` at `level` and returns their sum. Called by one warp.
  __device__ index_t warp_sum_before(int tile, int level) const {
    const int node = tile >> (level * radix_bits);
    const int place = node % radix;
    word count = 0;
    if (lane_of_warp() < place)
      count = wait(words_ + offset_[level] + node - place + lane_of_warp());
    __syncwarp();
    return static_cast<index_t>(warp_sum(count));
  }

 private:
  using word = unsigned long long;
  static constexpr int radix = warp_threads;
  static constexpr int radix_bits = 5;
  static_assert(radix == 1 << radix_bits);
  static constexpr word present = word{1} << 63;

  __device__ static word wait(const word* node) {
    word value = load_relaxed(node);
    for (int polls = 1; (value & present) == 0; ++polls) {
      pause_polling(polls);
      value = load_relaxed(node);
    }
    return value & ~present;
  }

  /// Returns the sum over the warp to every lane.
  __device__ static word warp_sum(word value) {
#pragma unroll
    for (int distance = radix / 2; distance > 0; distance /= 2)
      value += __shfl_xor_sync(whole_warp, value, distance);
    return value;
  }

  word* words_;
  index_t offset_[max_levels] = {};
  int levels_ = 0;
};

}  // namespace tandem::cuda_impl
