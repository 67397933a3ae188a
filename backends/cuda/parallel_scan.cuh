// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/scan_nodes.cuh>
#include <tandem/backends/cuda/block/scan_rows.cuh>
#include <tandem/backends/cuda/block/scan_steps.cuh>
#include <tandem/backends/cuda/integer_scan.hpp>
#include <tandem/backends/cuda/launch.cuh>
#include <tandem/backends/cuda/runtime.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/scan_problem.hpp>

namespace tandem {

namespace cuda_impl {

/// Numbers that blocks draw: tiles are given out in their order to blocks that run, so that a tile
/// may wait for every tile before it.
struct scan_tickets {
  unsigned* next;  ///< zero between kernels: the last draw of all sets it back
  unsigned last;   ///< the last number that is drawn

  __device__ int take() const { return static_cast<int>(atomicInc(next, last)); }

  /// One number for the whole block; `room` is shared.
  __device__ int block_take(int& room) const {
    if (last == 0) return 0;
    __syncthreads();
    if (threadIdx.x == 0) room = take();
    __syncthreads();
    return room;
  }
};

/// The canonical scan, a tile a block: the shortest way for as many tiles as run at once, and the
/// only one where a block has no shared memory to keep tiles in.
///
/// A block draws its tile and publishes its total before it waits, and waits only for smaller
/// tiles: those belong to blocks that run, and the smallest of them waits for nobody.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).resident_blocks)
    scan_tile_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                     const __grid_constant__ scan_nodes<T> nodes, scan_tickets tickets,
                     scan_mapping mapping) {
  extern __shared__ uint4 staging[];
  __shared__ scan_board<T> board;
  const scan_rows<Load, T, R> rows(problem, mapping, staging);
  const scan_steps<Load, T, R> steps(problem, nodes, board);
  const int tile = tickets.block_take(board.ticket);
  rows.prepare(0, tile);
  rows.wait();
  values<T, canonical::segment> segment;
  rows.read(0, tile, segment);
  const T through = steps.fold(segment);
  __syncthreads();
  const T in_tile = steps.publish(tile, through);
  steps.look_back(tile, true);
  __syncthreads();
  steps.apply(tile, in_tile, segment);
  rows.write(0, tile, segment);
}

/// The canonical scan, many tiles a block, in a pipeline over stages of shared memory: while a tile
/// loads, the one before it is folded and published, and the one before that finished. A round trip
/// to L2 takes about a microsecond and a tile's prefix needs up to three, one after the other; a
/// tile that is finished one step after it was published finds all of them made. (Where blocks
/// waited for their own wave of tiles, 2^27 floats took 730 us, half of it with idle memory.)
///
/// Every thread finishes the segment that it folded: it keeps what the tile has before it and folds
/// the segment again from shared memory, which costs less than 16 registers a thread.
///
/// Why nobody waits for ever: a block draws its tiles in ascending order and waits only in
/// look_back, for tiles smaller than the one it finishes, and in complete, for tiles and nodes not
/// larger than the one it has published. Take the smallest tile drawn whose total or nodes are not
/// published. Its block does not wait for a tile that it finishes or has completed, since all that
/// these need is smaller. Nor for the nodes of the tile itself: they need smaller tiles, its own
/// total, and the node one level below, which another warp of the block publishes between the same
/// barriers. So this block is at work, and what it works at is published.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).resident_blocks)
    scan_pipeline_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                         const __grid_constant__ scan_nodes<T> nodes, int tiles,
                         scan_tickets tickets, scan_mapping mapping) {
  extern __shared__ uint4 staging[];
  scan_board<T>& board = *reinterpret_cast<scan_board<T>*>(staging);
  const scan_rows<Load, T, R> rows(problem, mapping, staging + scan_board_words<T>);
  const scan_steps<Load, T, R> steps(problem, nodes, board);
  const bool loads_ahead = mapping.stages == 3;

  int folding = tickets.block_take(board.ticket);
  rows.prepare(0, folding);
  int drawn = folding;  // the latest; a block draws until one is beyond the end
  if (loads_ahead) {
    // Drawn after the first one's round trip, when most blocks have theirs: a block's tiles shall
    // lie far apart, since it publishes them one step after the other.
    if (folding < tiles) drawn = tickets.block_take(board.ticket);
    rows.prepare(1, drawn);
  }
  int stage = 0;
  T in_finishing = problem.init;
  for (int finishing = tiles; folding < tiles || finishing < tiles;) {
    const int oldest = stage == 0 ? mapping.stages - 1 : stage - 1;
    values<T, canonical::segment> segment;
    T through = problem.init;
    if (folding < tiles) {
      rows.wait();
      rows.read(stage, folding, segment);
      through = steps.fold(segment);
    }
    __syncthreads();

    const T in_folding = folding < tiles ? steps.publish(folding, through) : through;
    // The publishing warp draws, while others look back: one round trip for both.
    if (drawn < tiles && threadIdx.x == scan_block - 1) board.ticket = tickets.take();
    if (finishing < tiles) steps.look_back(finishing, false);
    __syncthreads();

    const int taken = drawn < tiles ? board.ticket : tiles;
    if (folding < tiles) steps.complete(folding);
    if (finishing < tiles) {
      rows.read(oldest, finishing, segment);
      steps.make_local(segment);
      steps.apply(finishing, in_finishing, segment);
      rows.write(oldest, finishing, segment);
    }
    rows.prepare(oldest, taken);
    in_finishing = in_folding;
    finishing = folding;
    folding = loads_ahead ? drawn : taken;
    drawn = taken;
    stage = stage + 1 == mapping.stages ? 0 : stage + 1;
  }
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
  const scan_shape shape = select_scan_shape(tiles, limits(space).multiprocessors, sizeof(T),
                                             wide_loads, limits(space).block_shared);
  const scan_mapping mapping{.stages = shape.stages,
                             .wide_loads = wide_loads,
                             .wide_stores = problem.y_stride == 1 && is_vector_aligned(problem.y)};
  const scan_nodes<T> nodes = make_scan_nodes<T>(space, tiles);
  launch_shape grid{.grid = dim3(static_cast<unsigned>(shape.blocks)),
                    .block = dim3(scan_block),
                    .shared_bytes = static_cast<std::size_t>(shape.stages) * rows::stage_bytes,
                    .label = label};
  scan_tickets tickets{counters(space), static_cast<unsigned>(tiles) - 1};
  if constexpr (rows::stage_bytes > 0) {
    if (shape.stages > 1) {
      grid.shared_bytes += scan_board_words<T> * sizeof(uint4);
      tickets.last += grid.grid.x;  // each block draws one number beyond the end
      launch(space, grid, scan_pipeline_kernel<Load, T, R>, problem, nodes, static_cast<int>(tiles),
             tickets, mapping);
      return;
    }
  }
  launch(space, grid, scan_tile_kernel<Load, T, R>, problem, nodes, tickets, mapping);
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
