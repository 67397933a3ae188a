// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/scan_nodes.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/backends/cuda/scan_policy.hpp>
#include <tandem/core/canonical.hpp>
#include <tandem/core/scan_problem.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// A fold of elements, or of none.
template <class T>
struct scan_prefix {
  T value;
  bool exists;
};

/// What is left of an element, together: missing parts are skipped.
template <class T, class R>
__device__ scan_prefix<T> join(const scan_prefix<T>& a, const scan_prefix<T>& b, const R& reducer) {
  if (!a.exists) return b;
  if (!b.exists) return a;
  return {reducer.combine(a.value, b.value), true};
}

/// What the warps of a block tell each other, in shared memory.
template <class T>
struct scan_board {
  raw_array<T, canonical::tile_rows> row_total;
  raw_array<T, canonical::scan_levels> before;  ///< folds of the nodes before a tile, by level
  int ticket;
};

/// Words of 16 bytes in front of a pipeline's stages that hold its board. It lies in dynamic shared
/// memory so that the launch knows of all that the kernel takes.
template <class T>
inline constexpr std::size_t scan_board_words = (sizeof(scan_board<T>) + 127) / 128 * 8;

/// The steps of scanning a tile by a block, a thread a segment and a warp a row:
///   fold        makes the segment's local prefixes; the row's total goes to the board
///   (barrier)
///   publish     the tile's total; gives the fold of what the tile has before the segment
///   complete    publishes the nodes that end with the tile
///   look_back   the nodes before the tile go to the board
///   (barrier)
///   apply       all that is before the segment to its local prefixes
/// All threads call them, with the same tile.
template <class Load, class T, class R>
class scan_steps {
 public:
  using segment_type = values<T, canonical::segment>;

  __device__ scan_steps(const scan_problem<Load, T, R>& problem, const scan_nodes<T>& nodes,
                        scan_board<T>& board)
      : problem_(problem), nodes_(nodes), board_(board) {}

  __device__ void make_local(segment_type& segment) const {
#pragma unroll
    for (int i = 1; i < canonical::segment; ++i)
      segment[i] = problem_.reducer.combine(segment[i - 1], segment[i]);
  }

  /// Returns the fold of the row through the segment, for publish().
  __device__ T fold(segment_type& segment) const {
    make_local(segment);
    const T through = warp_prefixes(segment[canonical::segment - 1], problem_.reducer);
    if (lane_of_warp() == warp_threads - 1) board_.row_total[warp_of_block()] = through;
    return through;
  }

  /// The first thread's result is undefined: the tile has nothing before its segment.
  __device__ T publish(int tile, const T& through) const {
    const R& reducer = problem_.reducer;
    const int warp = warp_of_block();
    const scan_prefix<T> in_row{warp_from_below(through, 1), lane_of_warp() > 0};
    scan_prefix<T> rows_before{board_.row_total[0], warp > 0};
#pragma unroll
    for (int row = 1; row < canonical::tile_rows - 1; ++row) {
      if (row < warp) rows_before.value = reducer.combine(rows_before.value, board_.row_total[row]);
    }
    if (threadIdx.x == scan_block - 1 && nodes_.levels() > 0)
      nodes_.publish_total(tile, reducer.combine(rows_before.value, through));
    return join(rows_before, in_row, reducer).value;
  }

  __device__ void complete(int tile) const {
    const int level = warp_of_block();
    if (level < nodes_.levels() && nodes_.completes(tile, level))
      nodes_.warp_fold_before(tile, level, true, problem_.reducer);
  }

  /// @param completing  does complete(tile) as well, with the same reads
  __device__ void look_back(int tile, bool completing) const {
    const int level = warp_of_block();
    if (level >= nodes_.levels()) return;
    const bool completes = completing && nodes_.completes(tile, level);
    if (!completes && !nodes_.has_siblings_before(tile, level)) return;
    const T folded = nodes_.warp_fold_before(tile, level, completes, problem_.reducer);
    if (lane_of_warp() == 0) board_.before[level] = folded;
  }

  /// @param in_tile  what publish() gave
  __device__ void apply(int tile, const T& in_tile, segment_type& segment) const {
    const scan_prefix<T> prefix =
        join(before_tile(tile), scan_prefix<T>{in_tile, threadIdx.x > 0}, problem_.reducer);
    if (problem_.exclusive) {
#pragma unroll
      for (int i = canonical::segment - 1; i >= 1; --i) segment[i] = segment[i - 1];
    }
    if (!prefix.exists) return;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i)
      segment[i] = problem_.reducer.combine(prefix.value, segment[i]);
    if (problem_.exclusive) segment[0] = prefix.value;
  }

 private:
  /// Everything before a tile: the nodes before it, highest level first, behind `init` for an
  /// exclusive scan.
  __device__ scan_prefix<T> before_tile(int tile) const {
    scan_prefix<T> prefix{problem_.init, false};
#pragma unroll 1  // few levels; unrolled, their conditions cost more than their combinations
    for (int level = nodes_.levels() - 1; level >= 0; --level) {
      if (!nodes_.has_siblings_before(tile, level)) continue;
      prefix = join(prefix, scan_prefix<T>{board_.before[level], true}, problem_.reducer);
    }
    if (!problem_.exclusive) return prefix;
    return join(scan_prefix<T>{problem_.init, true}, prefix, problem_.reducer);
  }

  const scan_problem<Load, T, R>& problem_;
  const scan_nodes<T>& nodes_;
  scan_board<T>& board_;
};

}  // namespace tandem::cuda_impl
