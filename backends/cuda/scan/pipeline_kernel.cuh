// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/scan/policy.hpp>
#include <tandem/backends/cuda/scan/prefix_tree.cuh>
#include <tandem/backends/cuda/scan/tile_rows.cuh>
#include <tandem/backends/cuda/scan/tile_steps.cuh>
#include <tandem/backends/cuda/scan/tile_tickets.cuh>
#include <tandem/core/contract/scan_problem.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// Shared memory through which the threads of a pipeline's block communicate. It is
/// double-buffered: a step reads different words than the next one writes, so one barrier per step
/// suffices.
template <class T>
struct scan_storage {
  static constexpr int known_tiles = 16;
  static_assert(known_tiles > max_scan_stages + scan_loads_ahead);

  scan_row_totals<T> row_total[2];
  scan_level_folds<T> before[2];
  int tile[known_tiles];  ///< tiles of the latest steps and of the next ones
  unsigned epoch;
};

/// Words of 16 bytes before a pipeline's stages: its storage and, per stage, the fold of everything
/// before each segment within its tile.
template <class T>
inline constexpr std::size_t scan_storage_words = (sizeof(scan_storage<T>) + 127) / 128 * 8;
template <class T>
inline constexpr std::size_t scan_in_tile_words = scan_block * sizeof(T) / 16;

/// Shared memory of a pipeline's block besides the rows of its stages.
template <class T>
constexpr std::size_t scan_pipeline_bytes(int stages) {
  const auto tiles = static_cast<std::size_t>(stages);
  return sizeof(uint4) * (scan_storage_words<T> + tiles * scan_in_tile_words<T>);
}

/// A block that scans many tiles in steps. Each step finishes an old tile, reuses its stage to load
/// the next tile, and folds and publishes the tile that has arrived.
///
/// Folding and finishing a tile are `slack` steps apart. In between, other blocks publish the
/// totals that the tile needs, so a block seldom waits for them. Other work hides the memory
/// latency: a step draws the ticket and takes the snapshot of the totals for the next step before
/// it finishes its tile, and uses them after it has folded.
///
/// Every thread finishes the segment that it folded. It keeps the fold of what precedes the segment
/// in the tile and folds the segment again from shared memory, which is cheaper than keeping 16
/// registers per thread and tile.
///
/// There is no deadlock. A block draws its tiles in ascending order. In each step it waits for the
/// totals and nodes before a tile that it published in an earlier step (slack > 1), and for those
/// that the last tile it published completes. Consider the smallest tile whose total or nodes are
/// not published. Its block does not wait for a total, because the totals before its published
/// tiles are available. Nor does it wait for a node of another tile, which would be smaller. Nor
/// does it wait for the nodes of the tile itself: they need smaller tiles, the tile's total, and
/// the node one level below, which another warp of the block publishes between the same barriers.
/// So this block makes progress and publishes what is missing.
template <class Load, class T, class R>
class scan_pipeline {
 public:
  __device__ scan_pipeline(const scan_problem<Load, T, R>& problem, const prefix_tree<T>& nodes,
                           int tiles, const tile_tickets& tickets, const scan_mapping& mapping,
                           uint4* shared)
      : reducer_(problem.reducer),
        nodes_(nodes),
        tiles_(tiles),
        tickets_(tickets),
        stages_(mapping.stages),
        storage_(*reinterpret_cast<scan_storage<T>*>(shared)),
        in_tile_(reinterpret_cast<T*>(shared + scan_storage_words<T>)),
        rows_(problem, mapping,
              shared + scan_storage_words<T> + mapping.stages * scan_in_tile_words<T>),
        steps_(problem, nodes) {}

  __device__ void run() {
    start();
    const int slack = stages_ - scan_loads_ahead;
    int stage = 0;  // the stage of the tile being folded
    int completing = tiles_;
    int folding = tile(0);
    int finishing = -1;  // none yet
    int gathering = -1;
    for (int step = 0; finishing < tiles_; ++step) {
      const int next = tile(step + scan_loads_ahead);
      typename prefix_tree<T>::snapshot seen;
      if (gathers(gathering)) nodes_.warp_take_snapshot(gathering, warp_of_block(), seen);
      const bool draws = threadIdx.x == scan_block - 1 && next < tiles_;
      published_cell drawn = 0;
      if (draws) drawn = tickets_.draw();

      const int freed = stage + scan_loads_ahead < stages_ ? stage + scan_loads_ahead : 0;
      if (finishing >= 0) finish(step, freed, finishing);
      rows_.prepare(freed, next);
      T through = reducer_.identity();
      if (folding < tiles_) through = fold(step, stage, folding);
      if (gathers(gathering)) gather(step + 1, gathering, seen);
      if (completing < tiles_) complete(completing);
      if (threadIdx.x == scan_block - 1)
        tile(step + scan_loads_ahead + 1) = draws ? tickets_.ticket(drawn).number : tiles_;
      __syncthreads();

      if (folding < tiles_) {
        in_tile_[stage * scan_block + static_cast<int>(threadIdx.x)] =
            steps_.publish({folding, epoch_}, through, storage_.row_total[step % 2]);
      }
      stage = stage + 1 < stages_ ? stage + 1 : 0;
      completing = folding;
      folding = next;
      finishing = gathering;
      gathering = step + 2 >= slack ? tile(step + 2 - slack) : -1;
    }
  }

 private:
  static_assert(scan_loads_ahead == 1, "tandem: run() folds next what it loads");

  __device__ int& tile(int step) const {
    return storage_.tile[step % scan_storage<T>::known_tiles];
  }

  /// Draws the first tiles and issues their loads.
  __device__ void start() {
    for (int step = 0; step <= scan_loads_ahead; ++step) {
      if (threadIdx.x == scan_block - 1) {
        // A block draws until a ticket is past the end.
        const bool draws = step == 0 || tile(step - 1) < tiles_;
        tile_ticket drawn{tiles_, 0};
        if (draws) drawn = tickets_.ticket(tickets_.draw());
        tile(step) = drawn.number;
        if (step == 0) storage_.epoch = drawn.epoch;
      }
      __syncthreads();
      if (step < scan_loads_ahead) rows_.prepare(step, tile(step));
    }
    epoch_ = storage_.epoch;
    if (tile(0) == 0 && threadIdx.x == 0) tickets_.clear_stale_cell(epoch_);
  }

  /// Whether this warp gathers nodes before a tile: it owns a level, and that level has such nodes.
  __device__ bool gathers(int tile) const {
    const int level = warp_of_block();
    return level < nodes_.levels() && tile >= 0 && tile < tiles_ && nodes_.place(tile, level) > 0;
  }

  /// Folds the nodes before a tile at this warp's level, for the step that finishes the tile.
  __device__ void gather(int step, int tile, typename prefix_tree<T>::snapshot& seen) const {
    const int level = warp_of_block();
    const T folded = nodes_.warp_fold_before(tile, level, epoch_, seen, reducer_);
    if (lane_of_warp() == 0) storage_.before[step % 2][level] = folded;
  }

  __device__ void complete(int tile) const {
    const int level = warp_of_block();
    if (level < nodes_.levels() && nodes_.completes(tile, level))
      nodes_.warp_complete(tile, level, epoch_, reducer_);
  }

  __device__ T fold(int step, int stage, int tile) const {
    rows_.template wait<scan_loads_ahead>();
    values<T, canonical::segment> segment;
    rows_.read(stage, tile, segment);
    return steps_.fold(segment, storage_.row_total[step % 2]);
  }

  __device__ void finish(int step, int stage, int tile) const {
    values<T, canonical::segment> segment;
    rows_.read(stage, tile, segment);
    steps_.apply(steps_.prefix(tile, storage_.before[step % 2]),
                 in_tile_[stage * scan_block + static_cast<int>(threadIdx.x)], segment);
    rows_.write(stage, tile, segment);
  }

  const R& reducer_;
  const prefix_tree<T>& nodes_;
  int tiles_;
  const tile_tickets& tickets_;
  int stages_;
  scan_storage<T>& storage_;
  T* in_tile_;  ///< indexed by stage and thread
  scan_rows<Load, T, R> rows_;
  scan_steps<Load, T, R> steps_;
  unsigned epoch_ = 0;
};

/// The canonical scan with many tiles per block; `tiles` is at least 2.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).pipeline_blocks_per_sm)
    scan_pipeline_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                         const __grid_constant__ prefix_tree<T> nodes, int tiles,
                         const __grid_constant__ tile_tickets tickets,
                         const __grid_constant__ scan_mapping mapping) {
  ptx::grid_dependency_wait();
  extern __shared__ uint4 staging[];
  scan_pipeline<Load, T, R>(problem, nodes, tiles, tickets, mapping, staging).run();
}

}  // namespace tandem::cuda_impl
