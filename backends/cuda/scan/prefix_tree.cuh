// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// The tree of tile totals above a scan: node g of level k + 1 is the total of nodes 32 g .. 32 g +
/// 31 of level k, and the tiles' totals are level 0.
///
/// Nobody waits for a prefix, only for totals: the prefix of a tile is a fold of at most 31 totals
/// a level, read by one warp a level at the same time. So the order of additions is fixed and no
/// chain runs through the tiles. `epoch` is the kernel's (tile_tickets).
template <class T>
class prefix_tree {
 public:
  /// Nodes below one node of the next level: the lanes of a warp.
  static constexpr int radix = canonical::scan_radix;

  /// Cells of the nodes of all levels for `tiles` tiles.
  static std::size_t cells(index_t tiles) {
    std::size_t nodes = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) nodes += static_cast<std::size_t>(tiles);
    return published_values<T>::cells(nodes);
  }

  /// `memory` holds cells(tiles).
  prefix_tree(published_cell* memory, index_t tiles) : values_(memory) {
    int offset = 0;
    for (; tiles > 1; tiles = (tiles + radix - 1) / radix) {
      offset_[levels_++] = offset;
      offset += static_cast<int>(tiles);
    }
  }

  /// Levels that a tile's prefix is made of: 0 for a single tile.
  __device__ int levels() const { return levels_; }

  /// Place of a tile's node of a level among the nodes below the same node of the next one.
  __device__ static int place(int tile, int level) { return node(tile, level) % radix; }

  __device__ void publish_total(int tile, const T& total, unsigned epoch) const {
    values_.publish(tile, total, epoch);
  }

  /// Whether a tile is the last one below a node of the next level. Its block publishes that node:
  /// the node's own level is complete by then, or about to be.
  __device__ bool completes(int tile, int level) const {
    const int below = (radix << (level * radix_bits)) - 1;  // tiles of a node at level + 1, less 1
    return level + 1 < levels_ && (tile & below) == below;
  }

  /// What a lane has seen of the node that it needs for warp_fold_before.
  using snapshot = typename published_values<T>::snapshot;

  /// A first look at the nodes before `tile` at `level`, by one warp, so that their way from memory
  /// is under way while it does something else.
  __device__ void warp_take_snapshot(int tile, int level, snapshot& seen) const {
    if (lane_of_warp() < place(tile, level)) values_.take_snapshot(lanes_node(tile, level), seen);
  }

  /// Fold of the nodes before `tile` at `level`, by one warp; undefined where there are none.
  ///
  /// @param seen  what warp_take_snapshot() saw
  template <class R>
  __device__ T warp_fold_before(int tile, int level, unsigned epoch, snapshot& seen,
                                const R& reducer) const {
    const int before = place(tile, level);
    T value = reducer.identity();
    if (lane_of_warp() < before) value = values_.wait(lanes_node(tile, level), epoch, seen);
    __syncwarp();
    return warp_shuffle(warp_inclusive_scan(value, reducer), before > 0 ? before - 1 : 0);
  }

  /// Fold of the first `count` tiles' totals below node `group` of level 1, by one warp; undefined
  /// for none.
  template <class R>
  __device__ T warp_fold_totals(int group, int count, unsigned epoch, const R& reducer) const {
    T value = reducer.identity();
    if (lane_of_warp() < count) {
      const int i = group * radix + lane_of_warp();
      snapshot seen;
      values_.take_snapshot(i, seen);
      value = values_.wait(i, epoch, seen);
    }
    __syncwarp();
    return warp_shuffle(warp_inclusive_scan(value, reducer), count > 0 ? count - 1 : 0);
  }

  /// Publishes the node of the next level that `tile` completes, by one warp, which waits for the
  /// tile's own node too.
  template <class R>
  __device__ void warp_complete(int tile, int level, unsigned epoch, const R& reducer) const {
    snapshot seen;
    const int i = lanes_node(tile, level);
    values_.take_snapshot(i, seen);
    const T value = warp_inclusive_scan(values_.wait(i, epoch, seen), reducer);
    if (lane_of_warp() == radix - 1)
      values_.publish(offset_[level + 1] + node(tile, level + 1), value, epoch);
    __syncwarp();
  }

 private:
  static constexpr int radix_bits = 5;
  static_assert(radix == 1 << radix_bits && radix == warp_threads);

  __device__ static int node(int tile, int level) { return tile >> (level * radix_bits); }

  __device__ int lanes_node(int tile, int level) const {
    return offset_[level] + node(tile, level) / radix * radix + lane_of_warp();
  }

  published_values<T> values_;
  int offset_[canonical::scan_levels] = {};
  int levels_ = 0;
};

}  // namespace tandem::cuda_impl
