// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/block/published.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/core/canonical.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// The tree of tile totals above a scan: node g of level k + 1 is the total of nodes 32 g .. 32 g +
/// 31 of level k, and the tiles' totals are level 0.
///
/// Nobody waits for a prefix, only for totals: the prefix of a tile is a fold of at most 31 totals
/// a level, read by one warp a level at the same time. So the order of additions is fixed and no
/// chain runs through the tiles.
template <class T>
class scan_nodes {
 public:
  /// Nodes of all levels for `tiles` tiles.
  static std::size_t count(index_t tiles) {
    std::size_t nodes = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) nodes += static_cast<std::size_t>(tiles);
    return nodes;
  }

  /// `memory` holds published_values<T> for count(tiles).
  scan_nodes(void* memory, index_t tiles) : values_(memory, count(tiles)) {
    int offset = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) {
      offset_[levels_++] = offset;
      offset += static_cast<int>(tiles);
    }
  }

  /// Levels that a tile's prefix is made of: 0 for a single tile.
  __device__ int levels() const { return levels_; }

  /// Whether a tile has predecessors at a level: below the same node of the next level.
  __device__ static bool has_siblings_before(int tile, int level) { return digit(tile, level) > 0; }

  __device__ void publish_total(int tile, const T& total) const { values_.publish(tile, total); }

  /// Whether a tile is the last one below a node of the next level. It publishes that node: the
  /// node's own level is complete by then, or about to be.
  __device__ bool completes(int tile, int level) const {
    const int below = (radix << (level * radix_bits)) - 1;  // tiles of a node at level + 1, less 1
    return level + 1 < levels_ && (tile & below) == below;
  }

  /// Fold of the nodes before `tile` at `level`, by one warp; undefined where there are none.
  ///
  /// @param completing  publishes the node that the tile completes, which waits for the tile's own
  ///                    node too
  template <class R>
  __device__ T warp_fold_before(int tile, int level, bool completing, const R& reducer) const {
    const int node = tile >> (level * radix_bits);
    const int place = digit(tile, level);
    const int lane = lane_of_warp();
    const int siblings = completing ? radix : place;
    T value = reducer.identity();
    if (lane < siblings) value = values_.wait(offset_[level] + node - place + lane);
    __syncwarp();
    value = warp_prefixes(value, reducer);
    if (completing && lane == radix - 1) values_.publish(offset_[level + 1] + node / radix, value);
    __syncwarp();
    return warp_from_lane(value, place > 0 ? place - 1 : 0);
  }

 private:
  static constexpr int radix = canonical::scan_radix;
  static constexpr int radix_bits = 5;
  static_assert(radix == 1 << radix_bits && radix == warp_threads);

  __device__ static int digit(int tile, int level) {
    return (tile >> (level * radix_bits)) % radix;
  }

  published_values<T> values_;
  int offset_[canonical::scan_levels] = {};
  int levels_ = 0;
};

}  // namespace tandem::cuda_impl
