// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/core/contract/scan_problem.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// The tree of tile totals above a scan. Level 0 holds the totals of the tiles; node g of level k +
/// 1 is the total of nodes 32 g to 32 g + 31 of level k.
///
/// Blocks wait for totals and never for prefixes. The prefix of a tile is a fold of at most 31
/// totals per level, which one warp per level reads concurrently. So the order of the operations is
/// fixed, and no dependency chain runs through the tiles. `epoch` identifies the kernel
/// (tile_tickets).
template <class T>
class prefix_tree {
 public:
  /// Nodes per node of the next level: one per lane of a warp.
  static constexpr int radix = canonical::scan_radix;

  /// Number of cells for the nodes of all levels above some tiles, and for the nodes before them.
  static std::size_t cells(const range& tiles) {
    index_t count = 0;
    for_each_level(tiles, [&](const range& nodes) { count += nodes.size(); });
    return published_values<T>::cells(static_cast<std::size_t>(count));
  }

  /// @param memory  cells(tiles) cells
  prefix_tree(published_cell* memory, const range& tiles)
      : values_(memory, detail::scan_nodes_of_level(tiles, 0).begin) {
    index_t offset = detail::scan_nodes_of_level(tiles, 0).begin;
    for_each_level(tiles, [&](const range& nodes) {
      offset_[levels_++] = static_cast<int>(offset - nodes.begin);
      offset += nodes.size();
    });
  }

  /// The number of levels, 0 for a single tile.
  __device__ int levels() const { return levels_; }

  /// The position of a tile's node among the siblings below one node of the next level.
  __device__ static int place(int tile, int level) { return node(tile, level) % radix; }

  __device__ void publish_total(int tile, const T& total, unsigned epoch) const {
    values_.publish(tile, total, epoch);
  }

  /// Publishes the nodes before `tile` at `level`, which are in `left` as in scan_part. Called by
  /// one warp.
  __device__ void warp_publish_left(int tile, int level, const T* left, unsigned epoch) const {
    if (lane_of_warp() < place(tile, level))
      values_.publish(lanes_node(tile, level), left[level * radix + lane_of_warp()], epoch);
  }

  /// Whether a tile is the last one below a node of the next level, in which case its block
  /// publishes that node.
  __device__ bool completes(int tile, int level) const {
    const int below = (radix << (level * radix_bits)) - 1;  // tiles of a node at level + 1, less 1
    return level + 1 < levels_ && (tile & below) == below;
  }

  /// A lane's snapshot of the node that it needs for warp_fold_before.
  using snapshot = typename published_values<T>::snapshot;

  /// Issues the loads of the nodes before `tile` at `level`, so that they are in flight while the
  /// warp does other work. Called by one warp.
  __device__ void warp_take_snapshot(int tile, int level, snapshot& seen) const {
    if (lane_of_warp() < place(tile, level)) values_.take_snapshot(lanes_node(tile, level), seen);
  }

  /// Returns the fold of the nodes before `tile` at `level`, undefined if there are none. Called by
  /// one warp.
  ///
  /// @param seen  the result of warp_take_snapshot()
  template <class R>
  __device__ T warp_fold_before(int tile, int level, unsigned epoch, snapshot& seen,
                                const R& reducer) const {
    const int before = place(tile, level);
    T value = reducer.identity();
    if (lane_of_warp() < before) value = values_.wait(lanes_node(tile, level), epoch, seen);
    __syncwarp();
    return warp_shuffle(warp_inclusive_scan(value, reducer), before > 0 ? before - 1 : 0);
  }

  /// Returns the fold of the first `count` tile totals below node `group` of level 1, undefined if
  /// `count` is 0. Called by one warp.
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

  /// Waits for the nodes below the one of the next level that `tile` completes, including the
  /// tile's, and publishes their fold. Called by one warp.
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

  template <class F>
  static void for_each_level(const range& tiles, const F& f) {
    for (int level = 0;; ++level) {
      const range nodes = detail::scan_nodes_of_level(tiles, level);
      if (nodes.end <= 1) return;
      f(nodes);
    }
  }

  __device__ static int node(int tile, int level) { return tile >> (level * radix_bits); }

  __device__ int lanes_node(int tile, int level) const {
    return offset_[level] + node(tile, level) / radix * radix + lane_of_warp();
  }

  published_values<T> values_;
  int offset_[canonical::scan_levels] = {};
  int levels_ = 0;
};

}  // namespace tandem::cuda_impl
