// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/scan_nodes.cuh>
#include <tandem/backends/cuda/block/scan_rows.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/backends/cuda/integer_scan.hpp>
#include <tandem/backends/cuda/launch.cuh>
#include <tandem/backends/cuda/runtime.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/scan_problem.hpp>

namespace tandem {

namespace cuda_impl {

/// Numbers that blocks draw: tiles are given out in their order to blocks that run, so that a tile
/// may wait for every tile before it. Both words are zero between kernels.
struct scan_tickets {
  unsigned* next;
  unsigned* finished;

  __device__ int take() const { return static_cast<int>(atomicAdd(next, 1u)); }

  /// One number for the whole block; `room` is shared.
  __device__ int block_take(int& room) const {
    __syncthreads();
    if (threadIdx.x == 0) room = take();
    __syncthreads();
    return room;
  }

  /// Called by one thread of a block that takes no more.
  __device__ void finish() const {
    __threadfence();
    if (atomicInc(finished, gridDim.x - 1) == gridDim.x - 1) *next = 0;
  }
};

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

/// Everything before a tile: the nodes before it, highest level first, behind `init` for an
/// exclusive scan.
template <class Problem, class T, int Levels>
__device__ scan_prefix<T> prefix_of_tile(const Problem& problem, const scan_nodes<T>& nodes,
                                         int tile, raw_array<T, Levels>& before) {
  scan_prefix<T> prefix{problem.init, false};
  for (int level = nodes.levels() - 1; level >= 0; --level) {
    if (!nodes.has_siblings_before(tile, level)) continue;
    prefix = join(prefix, scan_prefix<T>{before[level], true}, problem.reducer);
  }
  if (problem.exclusive) prefix = join(scan_prefix<T>{problem.init, true}, prefix, problem.reducer);
  return prefix;
}

/// Turns a segment's local prefixes into the scan's values, given the fold of everything before the
/// segment.
template <class T, class R>
__device__ void apply_prefix(values<T, canonical::segment>& segment, const scan_prefix<T>& prefix,
                             bool exclusive, const R& reducer) {
  if (exclusive) {
#pragma unroll
    for (int i = canonical::segment - 1; i >= 1; --i) segment[i] = segment[i - 1];
  }
  if (!prefix.exists) return;
#pragma unroll
  for (int i = 0; i < canonical::segment; ++i)
    segment[i] = reducer.combine(prefix.value, segment[i]);
  if (exclusive) segment[0] = prefix.value;
}

/// The canonical scan in one pass: a warp scans a row of segments in registers, a block a tile of
/// rows; the block then publishes the tile's total and folds the totals before it (scan_nodes),
/// while its next tile loads.
///
/// A block publishes a tile's total before it waits for any, and draws its tiles in ascending
/// order. So of the tiles drawn but not yet published, the first is always being worked on, and
/// whoever waits for it waits for a running block.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).resident_blocks)
    scan_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                const __grid_constant__ scan_nodes<T> nodes, int tiles, scan_tickets tickets,
                scan_mapping mapping) {
  extern __shared__ uint4 staging[];
  __shared__ int ticket;
  __shared__ raw_array<T, canonical::tile_rows> row_total;
  __shared__ raw_array<T, canonical::scan_levels> before;
  using rows_type = scan_rows<Load, T, R>;
  const rows_type rows(problem, mapping, staging);
  const R& reducer = problem.reducer;
  const int warp = warp_of_block();
  const int lane = lane_of_warp();
  const bool loads_ahead = rows_type::asynchronous && mapping.stages == 2;

  int tile = tickets.block_take(ticket);
  int ahead = tiles;
  int stage = 0;
  if (loads_ahead) {
    rows.prepare(0, tile);
    // Drawn after the first one's round trip, when most blocks have theirs: a block's two tiles
    // shall lie far apart, since the later one is published only when the earlier one is done.
    ahead = tickets.block_take(ticket);
    rows.prepare(1, ahead);
  }
  while (tile < tiles) {
    if (!loads_ahead) rows.prepare(0, tile);
    values<T, canonical::segment> segment;
    rows.read(stage, tile, segment);
#pragma unroll
    for (int i = 1; i < canonical::segment; ++i)
      segment[i] = reducer.combine(segment[i - 1], segment[i]);
    const T through = warp_prefixes(segment[canonical::segment - 1], reducer);
    const scan_prefix<T> in_row{warp_from_below(through, 1), lane > 0};
    if (lane == warp_threads - 1) row_total[warp] = through;
    __syncthreads();

    scan_prefix<T> rows_before{through, false};
    for (int row = 0; row < warp; ++row)
      rows_before = join(rows_before, scan_prefix<T>{row_total[row], true}, reducer);
    if (threadIdx.x == scan_block - 1) {
      if (nodes.levels() > 0)
        nodes.publish_total(tile, reducer.combine(rows_before.value, through));
      ticket = tickets.take();
    }
    if (warp < nodes.levels() && nodes.has_siblings_before(tile, warp)) {
      const T folded = nodes.warp_fold_before(tile, warp, reducer);
      if (lane == 0) before[warp] = folded;
    }
    __syncthreads();

    const int taken = ticket;
    const scan_prefix<T> in_tile = join(rows_before, in_row, reducer);
    const scan_prefix<T> of_tile = prefix_of_tile(problem, nodes, tile, before);
    apply_prefix(segment, join(of_tile, in_tile, reducer), problem.exclusive, reducer);
    rows.write(stage, tile, segment);
    if (loads_ahead) {
      rows.prepare(stage, taken);
      stage ^= 1;
    }
    tile = loads_ahead ? ahead : taken;
    ahead = taken;
  }
  if (threadIdx.x == 0) tickets.finish();
}

/// Scratch for the nodes of `tiles` tiles, marked missing.
template <class T>
scan_nodes<T> make_scan_nodes(const cuda& space, index_t tiles) {
  const std::size_t count = scan_nodes<T>::count(tiles);
  if (count == 0) return {nullptr, tiles};
  void* const memory = scratch(space, published_values<T>::bytes(count));
  const device_guard current(space.device());
  check(cudaMemsetAsync(memory, 0xff, published_values<T>::cleared_bytes(count),
                        space.native_stream()),
        "parallel_scan: cudaMemsetAsync");
  return {memory, tiles};
}

template <class Load, class T, class R>
void launch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem) {
  using rows = scan_rows<Load, T, R>;
  const index_t tiles = ceil_div(problem.size, index_t{canonical::scan_tile});
  bool wide_loads = false;
  if constexpr (rows::asynchronous) wide_loads = is_vector_aligned(problem.load.data);
  const bool two_stages = wide_loads && 2 * rows::stage_bytes + 1024 <= limits(space).block_shared;
  const scan_shape shape =
      select_scan_shape(tiles, limits(space).multiprocessors, sizeof(T), two_stages);
  const scan_mapping mapping{.stages = shape.stages,
                             .wide_loads = wide_loads,
                             .wide_stores = problem.y_stride == 1 && is_vector_aligned(problem.y)};
  const scan_nodes<T> nodes = make_scan_nodes<T>(space, tiles);
  const launch_shape grid{
      .grid = dim3(static_cast<unsigned>(shape.blocks)),
      .block = dim3(scan_block),
      .shared_bytes = static_cast<std::size_t>(shape.stages) * rows::stage_bytes,
      .label = label};
  unsigned* const words = counters(space);
  launch(space, grid, scan_kernel<Load, T, R>, problem, nodes, static_cast<int>(tiles),
         scan_tickets{words, words + 1}, mapping);
}

/// Whether a scan is a sum of integers as they lie in memory: exact in any order, so that CUB's may
/// serve.
template <class Load, class T, class R>
inline constexpr bool is_integer_sum = false;
template <std::integral T>
inline constexpr bool is_integer_sum<contiguous_load<T, sum<T>>, T, sum<T>> =
    sizeof(T) == 4 || sizeof(T) == 8;

}  // namespace cuda_impl

/// Scans a problem of any size in the canonical shape, in the stream's order. One kernel and a
/// clear of n / 4096 words; reads and writes each element once. Does not block. Errors:
/// device_error, out_of_memory_error.
template <class Load, class T, class R>
void dispatch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem) {
  if (problem.size == 0) return;
  if constexpr (cuda_impl::is_integer_sum<Load, T, R>) {
    if (problem.y_stride == 1) {
      cuda_impl::scan_integers(space, problem.load.data, problem.y, problem.size, problem.exclusive,
                               problem.init);
      return;
    }
  }
  cuda_impl::launch_scan(space, label, problem);
}

}  // namespace tandem
