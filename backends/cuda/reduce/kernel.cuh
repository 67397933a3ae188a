// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <tandem/backends/cuda/primitives/mailbox_send.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/last_block.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>

/// The kernel of every reduction to one value. Reductions differ by the tile (lane_tile.cuh) and by
/// where the result goes.
namespace tandem::cuda_impl {

/// Sends the result to the waiting host.
template <class Accumulator>
struct result_message {
  static constexpr bool takes_block_results = false;

  std::uint64_t* words;
  std::uint32_t call;

  __device__ void operator()(const Accumulator& result) const {
    send_result(result, words, call, 0);
  }
};

/// Sends the results of all blocks to the host, which combines them.
template <class Accumulator>
struct block_messages {
  static constexpr bool takes_block_results = true;

  std::uint64_t* words;
  std::uint32_t call;

  __device__ void operator()(const Accumulator& of_block) const {
    send_result(of_block, words, call, static_cast<int>(blockIdx.x));
  }
};

/// Writes the accumulator to memory of the device.
template <class Accumulator>
struct device_output {
  static constexpr bool takes_block_results = false;

  Accumulator* value;

  __device__ void operator()(const Accumulator& result) const { *value = result; }
};

/// Writes the finished result to memory of the device.
template <class R>
struct result_output {
  static constexpr bool takes_block_results = false;

  typename R::result* out;
  R reducer;

  __device__ void operator()(const typename R::accumulator& result) const {
    *out = reducer.finish(result);
  }
};

/// Terms of a work item: what a warp folds at a time, one tile or adjacent ones.
template <class Tile>
inline constexpr index_t item_elements = Tile::elements * (warp_threads / Tile::team);

/// Whether a tile folds several work items by itself: fold_items(item, each, n), the value in lane
/// 0.
template <class Tile>
concept folds_items = requires(const Tile tile) { tile.fold_items(index_t{}, 1, index_t{}); };

/// Most values that the warps of a block leave to the block's tree.
template <class Tile>
inline constexpr int max_values =
    Tile::block / warp_threads * (folds_items<Tile> ? 1 : Tile::items.max_items_per_warp);

/// The number of this block, read from its special register at each call, so that it occupies no
/// registers while tiles are folded, which need all of them.
__device__ inline index_t block_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
  return number;
}

/// Whether a tile loads its work items by itself: stream_items (shared_memory_tile.cuh).
template <class Tile>
concept streams_items = requires(const Tile tile, typename Tile::accumulator* value) {
  tile.stream_items(index_t{}, 1, 1, index_t{}, value);
};

/// Folds this warp's `each` adjacent work items of n terms into value[0], ..; returns how many
/// values those are.
template <class Tile>
__device__ int warp_fold_items(const Tile& tile, int each, index_t n,
                               typename Tile::accumulator* value) {
  if constexpr (folds_items<Tile>) {
    const index_t warp = block_number() * warps_of_block() + warp_of_block();
    const auto all = tile.fold_items(warp * each, each, n);
    if (lane_of_warp() == 0) value[warp_of_block()] = all;
    return 1;
  } else if constexpr (streams_items<Tile>) {
    // Warps take turns, so that a block reads adjacent items at a time.
    const index_t first = block_number() * (warps_of_block() * each) + warp_of_block();
    tile.stream_items(first, warps_of_block(), each, n, value + warp_of_block());
    return each;
  } else {
    constexpr int tiles = warp_threads / Tile::team;
#pragma unroll 1
    for (int j = 0; j < each; ++j) {
      const int own = warp_of_block() * each + j;
      const index_t item = block_number() * (warps_of_block() * each) + own;
      const index_t first = item * tiles + lane_of_warp() / Tile::team;
      const auto of_item = warp_tree<Tile::team, warp_threads>(tile.fold(first, n), tile.reducer);
      if (lane_of_warp() == 0) value[warp_of_block() * each + j] = of_item;
    }
    return each;
  }
}

/// Blocks that each multiprocessor must hold. One where blocks send their results: those grids are
/// small, and all loads of a tile in flight at once are worth more than occupancy.
template <class Tile, class Output>
inline constexpr int min_blocks_per_sm_for =
    Output::takes_block_results ? 1 : Tile::min_blocks_per_sm;

/// Reduces the tiles of n terms; output(accumulator) runs in one thread of the grid, or of each
/// block where the output takes those.
///
/// A warp folds `each` (a power of two) adjacent work items. All shapes share the aligned adjacent
/// tree above tiles, so that they differ by the tile alone.
template <class Tile, class Output>
__global__ void __launch_bounds__(Tile::block, (min_blocks_per_sm_for<Tile, Output>))
    reduce_kernel(const __grid_constant__ Tile tile, index_t n, int each,
                  typename Tile::accumulator* partials, unsigned* counter,
                  const __grid_constant__ Output output) {
  ptx::wait_for_prior_work();
  __shared__ raw_array<typename Tile::accumulator, max_values<Tile>> value;
  const int left = warp_fold_items(tile, each, n, &value[0]);
  const auto of_block = block_tree(value, warps_of_block() * left, tile.reducer);
  if constexpr (Output::takes_block_results) {
    if (threadIdx.x == 0) output(of_block);
  } else {
    last_block_reduce<Tile::block>(of_block, partials, counter, tile.reducer, output);
  }
}

/// Enqueues the reduction of n terms on a grid.
template <class Tile, class Output>
void launch_reduce_kernel(const cuda& space, const char* label, const reduce_grid& grid, index_t n,
                          const Tile& tile, const Output& output, void* partials) {
  const int threads = grid.warps * warp_threads;
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(grid.blocks)),
                           .block = dim3(static_cast<unsigned>(threads)),
                           .label = label,
                           .starts_early = waits_in_code(limits(space).compute_capability)};
  launch(space, shape, reduce_kernel<Tile, Output>, tile, n, grid.items_per_warp,
         static_cast<typename Tile::accumulator*>(partials), counters(space), output);
}

/// Work items of n terms.
template <class Tile>
index_t items_of(index_t n) {
  return ceil_div(n, item_elements<Tile>);
}

/// The grid of a reduction whose result the device combines.
template <class Tile>
reduce_grid device_grid(const cuda& space, index_t n) {
  return select_grid(items_of<Tile>(n), Tile::block / warp_threads, Tile::items,
                     limits(space).multiprocessors);
}

/// Scratch for the partial results of a grid: one per block, and as much again for the levels
/// above.
template <class Accumulator>
void* partials_for(const cuda& space, const reduce_grid& grid) {
  if (grid.blocks == 1) return nullptr;
  return scratch(space, 2 * sizeof(Accumulator) * static_cast<std::size_t>(grid.blocks));
}

}  // namespace tandem::cuda_impl
