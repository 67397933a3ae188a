// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/segments/policy.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/math.hpp>

/// Scans of segments, one warp per segment. A lane holds one 16-term segment of a row and one node
/// per level of the tree above the tiles. A single lane scans a segment of at most 16 terms.
/// Functions that a warp calls more than once are inlined anyway, because a call would save the
/// caller's registers.
namespace tandem::cuda_impl {

/// running_tiles for a warp: lane j holds node j of each level, or the identity if there is none,
/// since a user's operation may use its operands to index memory. All lanes must call it uniformly.
template <class T, class R>
class warp_tiles {
 public:
  __device__ explicit warp_tiles(const R& reducer) : reducer_(reducer) {
#pragma unroll
    for (int k = 0; k < levels; ++k) node_[k] = reducer.identity();
  }

  __device__ __forceinline__ void append_prefix(T& before, bool& is_missing) const {
    T prefix{};
    bool has_prefix = false;
#pragma unroll 1
    for (int k = levels - 1; k >= 0; --k) {
      if (count_[k] == 0) continue;
      const T node = last_kogge_stone(k);
      prefix = has_prefix ? reducer_.combine(prefix, node) : node;
      has_prefix = true;
    }
    if (!has_prefix) return;
    before = is_missing ? prefix : reducer_.combine(before, prefix);
    is_missing = false;
  }
  __device__ __forceinline__ void push(T total) {
#pragma unroll 1
    for (int k = 0; k < levels; ++k) {
      if (lane_of_warp() == count_[k]) node_[k] = total;
      if (++count_[k] < canonical::scan_radix) return;
      total = last_kogge_stone(k);
      count_[k] = 0;
    }
  }

 private:
  static constexpr int levels = canonical::scan_levels;
  static_assert(canonical::scan_radix == warp_threads);

  /// Returns the last value of the Kogge-Stone scan over the nodes of a level, ignoring lanes past
  /// the last node.
  __device__ __forceinline__ T last_kogge_stone(int level) const {
    return warp_shuffle(warp_inclusive_scan(node_[level], reducer_), count_[level] - 1);
  }

  const R& reducer_;
  int count_[levels] = {};
  T node_[levels];
};

/// Scans one segment with a warp.
template <class Load, class Offset, class R>
class warp_scanner {
 public:
  using problem_type = segmented_scan_problem<Load, Offset, R>;
  using T = typename problem_type::element;

  __device__ warp_scanner(const problem_type& problem, const segment_range& terms)
      : problem_(problem), terms_(terms) {}

  __device__ __forceinline__ void run() const {
    warp_tiles<T, R> tiles(problem_.of.reducer);
#pragma unroll 1
    for (index_t tile = terms_.begin; tile < terms_.end; tile += canonical::scan_tile) {
      T before = problem_.init;
      bool is_missing = !problem_.exclusive;
      tiles.append_prefix(before, is_missing);
      const index_t end = tandem::min(terms_.end, tile + canonical::scan_tile);
      T rows{};  // left fold of the rows so far
#pragma unroll 1
      for (index_t first = tile; first < end; first += row)
        scan_row(first, first == tile, before, is_missing, rows);
      tiles.push(rows);
    }
  }

 private:
  static constexpr index_t row = index_t{canonical::row_segments} * canonical::segment;

  __device__ __forceinline__ void scan_row(index_t first, bool is_first, const T& before,
                                           bool is_missing, T& rows) const {
    const R& reducer = problem_.of.reducer;
    const index_t begin = first + lane_of_warp() * canonical::segment;
    const int count = static_cast<int>(
        tandem::clamp(terms_.end - begin, index_t{0}, index_t{canonical::segment}));
    values<T, canonical::segment> local;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) {
      if (i >= count) continue;
      const T term = problem_.of.load(begin + i);
      local[i] = i == 0 ? term : reducer.combine(local[i - 1 < 0 ? 0 : i - 1], term);
    }
    T total = reducer.identity();  // of a lane without terms, after those with terms
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) {
      if (i == count - 1) total = local[i];
    }
    const T scanned = warp_inclusive_scan(total, reducer);
    const T earlier = warp_shuffle_up(scanned, 1);
    T inner = is_first ? earlier : reducer.combine(rows, earlier);
    if (lane_of_warp() == 0) inner = rows;
    const bool no_inner = is_first && lane_of_warp() == 0;
    const T own = is_missing ? inner : (no_inner ? before : reducer.combine(before, inner));
    store(begin, count, local, own, is_missing && no_inner);
    const index_t row_end = tandem::min(terms_.end, first + row);
    const auto last = static_cast<int>((row_end - first - 1) / canonical::segment);
    const T row_total = warp_shuffle(scanned, last);
    rows = is_first ? row_total : reducer.combine(rows, row_total);
  }

  __device__ __forceinline__ void store(index_t begin, int count,
                                        const values<T, canonical::segment>& local, const T& own,
                                        bool is_missing) const {
    const R& reducer = problem_.of.reducer;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) {
      if (i >= count) continue;
      T result = own;
      if (problem_.exclusive) {
        if (i > 0) result = reducer.combine(own, local[i - 1 < 0 ? 0 : i - 1]);
      } else {
        result = is_missing ? local[i] : reducer.combine(own, local[i]);
      }
      problem_.of.output(begin + i) = result;
    }
  }

  const problem_type& problem_;
  segment_range terms_;
};

/// A warp processes `each` adjacent segments at a time, as in segments_kernel.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segments_tuning.scan_block, segments_tuning.scan_blocks_per_sm)
    segmented_scan_kernel(const __grid_constant__ segmented_scan_problem<Load, Offset, R> problem,
                          int each) {
  ptx::grid_dependency_wait();
  const int block_warps = static_cast<int>(blockDim.x) / warp_threads;
  const index_t warps = index_t{gridDim.x} * block_warps;
#pragma unroll 1
  for (index_t first = (index_t{blockIdx.x} * block_warps + warp_of_block()) * each;
       first < problem.of.segments; first += warps * each) {
    const index_t own = first + lane_of_warp();
    const bool exists = lane_of_warp() < each && own < problem.of.segments;
    const segment_range terms = exists ? problem.of.segment(own) : segment_range{0, 0};
    const bool is_short = terms.size() <= canonical::segment;
    if (is_short) segment_scanner<Load, Offset, R>(problem, terms).run_short();
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, !is_short); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const segment_range all = {warp_shuffle(terms.begin, lane), warp_shuffle(terms.end, lane)};
      warp_scanner<Load, Offset, R>(problem, all).run();
    }
  }
}

}  // namespace tandem::cuda_impl
