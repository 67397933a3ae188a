// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/scan/policy.hpp>
#include <tandem/backends/cuda/scan/prefix_tree.cuh>
#include <tandem/backends/cuda/scan/tile_tickets.cuh>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/scan_problem.hpp>

namespace tandem::cuda_impl {

/// The fold of any number of elements, possibly none.
template <class T>
struct scan_prefix {
  T value;
  bool exists;
};

/// Combines two folds; either may be missing.
template <class T, class R>
__device__ scan_prefix<T> join(const scan_prefix<T>& a, const scan_prefix<T>& b, const R& reducer) {
  if (!a.exists) return b;
  if (!b.exists) return a;
  return {reducer.combine(a.value, b.value), true};
}

/// Shared memory through which the warps of a block communicate about one tile: the totals of its
/// rows, and per level the fold of the nodes before it.
template <class T>
using scan_row_totals = raw_array<T, canonical::tile_rows>;
template <class T>
using scan_level_folds = raw_array<T, canonical::scan_levels>;

/// Returns the fold of the row up to and including the segment, and stores the row's total.
template <class T, class R>
__device__ T fold_row(const values<T, canonical::segment>& segment, const R& reducer,
                      scan_row_totals<T>& totals) {
  T total = segment[0];
#pragma unroll
  for (int i = 1; i < canonical::segment; ++i) total = reducer.combine(total, segment[i]);
  const T through = warp_inclusive_scan(total, reducer);
  if (lane_of_warp() == warp_threads - 1) totals[warp_of_block()] = through;
  return through;
}

/// The steps in which a block scans a tile, one segment per thread and one row per warp. All
/// threads call them with the same tile:
///   fold     folds the segment and its row; stores the row's total to shared memory
///   (barrier)
///   publish  publishes the tile's total; returns the fold of what precedes the segment in the tile
///   prefix   returns the tile's prefix from the folds of the nodes before it
///   apply    combines everything before the segment with the segment
template <class Load, class T, class R>
class scan_steps {
 public:
  using segment_type = values<T, canonical::segment>;

  __device__ scan_steps(const scan_problem<Load, T, R>& problem, const prefix_tree<T>& nodes)
      : problem_(problem), nodes_(nodes) {}

  /// Returns the fold of the row up to and including the segment, for publish().
  __device__ T fold(const segment_type& segment, scan_row_totals<T>& totals) const {
    return fold_row(segment, problem_.reducer, totals);
  }

  /// The first thread's result is undefined, because nothing precedes its segment in the tile.
  __device__ T publish(const tile_ticket& tile, const T& through,
                       scan_row_totals<T>& totals) const {
    const R& reducer = problem_.reducer;
    const int warp = warp_of_block();
    const scan_prefix<T> in_row{warp_shuffle_up(through, 1), lane_of_warp() > 0};
    scan_prefix<T> rows_before{totals[0], warp > 0};
#pragma unroll
    for (int row = 1; row < canonical::tile_rows - 1; ++row) {
      if (row < warp) rows_before.value = reducer.combine(rows_before.value, totals[row]);
    }
    if (threadIdx.x == scan_block - 1 && nodes_.levels() > 0)
      nodes_.publish_total(tile.number, reducer.combine(rows_before.value, through), tile.epoch);
    return join(rows_before, in_row, reducer).value;
  }

  /// Returns the fold of everything before a tile: `init` for an exclusive scan, then the nodes
  /// before the tile, highest level first.
  __device__ scan_prefix<T> prefix(int tile, scan_level_folds<T>& folds) const {
    scan_prefix<T> before{problem_.init, false};
#pragma unroll 1  // few levels: if unrolled, their conditions cost more than their combinations
    for (int level = nodes_.levels() - 1; level >= 0; --level) {
      if (nodes_.place(tile, level) == 0) continue;
      before = join(before, scan_prefix<T>{folds[level], true}, problem_.reducer);
    }
    return behind_init(before);
  }

  /// Prepends `init` to the fold of the nodes. The levels are folded before `init` joins them.
  __device__ scan_prefix<T> behind_init(const scan_prefix<T>& before) const {
    return join(scan_prefix<T>{problem_.init, problem_.exclusive}, before, problem_.reducer);
  }

  /// @param before   the result of prefix()
  /// @param in_tile  the result of publish()
  __device__ void apply(const scan_prefix<T>& before, const T& in_tile,
                        segment_type& segment) const {
    const R& reducer = problem_.reducer;
#pragma unroll
    for (int i = 1; i < canonical::segment; ++i)
      segment[i] = reducer.combine(segment[i - 1], segment[i]);
    if (problem_.exclusive) {
#pragma unroll
      for (int i = canonical::segment - 1; i >= 1; --i) segment[i] = segment[i - 1];
    }
    const scan_prefix<T> all = join(before, scan_prefix<T>{in_tile, threadIdx.x > 0}, reducer);
    if (!all.exists) return;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i)
      segment[i] = reducer.combine(all.value, segment[i]);
    if (problem_.exclusive) segment[0] = all.value;
  }

 private:
  const scan_problem<Load, T, R>& problem_;
  const prefix_tree<T>& nodes_;
};

}  // namespace tandem::cuda_impl
