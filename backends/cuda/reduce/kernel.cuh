// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/last_block.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/runtime/result_mailbox.cuh>
#include <tandem/core/math.hpp>

/// One kernel for every reduction to one value: it differs by the tile (block/lane_tile.cuh) and by
/// where the result goes.
namespace tandem::cuda_impl {

/// Sends the result to the waiting host.
template <class Accumulator>
struct result_message {
  static constexpr bool takes_blocks = false;

  std::uint64_t* words;
  std::uint32_t call;

  __device__ void operator()(const Accumulator& result) const {
    send_result(result, words, call, 0);
  }
};

/// Sends the results of all blocks to the host, which combines them.
template <class Accumulator>
struct block_messages {
  static constexpr bool takes_blocks = true;

  std::uint64_t* words;
  std::uint32_t call;

  __device__ void operator()(const Accumulator& of_block) const {
    send_result(of_block, words, call, static_cast<int>(blockIdx.x));
  }
};

/// Writes the accumulator to memory of the device.
template <class Accumulator>
struct device_output {
  static constexpr bool takes_blocks = false;

  Accumulator* value;

  __device__ void operator()(const Accumulator& result) const { *value = result; }
};

/// Writes the finished result to memory of the device.
template <class R>
struct result_output {
  static constexpr bool takes_blocks = false;

  typename R::result* out;
  R reducer;

  __device__ void operator()(const typename R::accumulator& result) const {
    *out = reducer.finish(result);
  }
};

/// Terms of a unit: what a warp folds at a time, one tile or adjacent ones.
template <class Tile>
inline constexpr index_t unit_elements = Tile::elements * (warp_threads / Tile::team);

/// Whether a tile has its own way to fold several units: fold_units(unit, each, n), the value in
/// lane 0.
template <class Tile>
concept folds_units = requires(const Tile tile) { tile.fold_units(index_t{}, 1, index_t{}); };

/// Most values that the warps of a block leave to its tree.
template <class Tile>
inline constexpr int most_values =
    Tile::block / warp_threads * (folds_units<Tile> ? 1 : Tile::units.most_each);

/// Number of this block, asked for anew at each call. What a loop needs of it then takes no
/// registers while tiles are folded, which need all of them.
__device__ inline index_t block_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
  return number;
}

/// Whether a tile brings units from memory itself: stream_units (block/staged_tile.cuh).
template <class Tile>
concept streams_units = requires(const Tile tile, typename Tile::accumulator* value) {
  tile.stream_units(index_t{}, 1, 1, index_t{}, value);
};

/// Folds this warp's `each` adjacent units of n terms into value[0], ..; returns how many values
/// those are.
template <class Tile>
__device__ int warp_fold_units(const Tile& tile, int each, index_t n,
                               typename Tile::accumulator* value) {
  if constexpr (folds_units<Tile>) {
    const index_t warp = block_number() * warps_of_block() + warp_of_block();
    const auto all = tile.fold_units(warp * each, each, n);
    if (lane_of_warp() == 0) value[warp_of_block()] = all;
    return 1;
  } else if constexpr (streams_units<Tile>) {
    // Warps take turns, so that a block reads adjacent units at a time.
    const index_t first = block_number() * (warps_of_block() * each) + warp_of_block();
    tile.stream_units(first, warps_of_block(), each, n, value + warp_of_block());
    return each;
  } else {
    constexpr int tiles = warp_threads / Tile::team;
#pragma unroll 1
    for (int j = 0; j < each; ++j) {
      const int own = warp_of_block() * each + j;
      const index_t unit = block_number() * (warps_of_block() * each) + own;
      const index_t first = unit * tiles + lane_of_warp() / Tile::team;
      const auto of_unit = warp_tree<Tile::team, warp_threads>(tile.fold(first, n), tile.reducer);
      if (lane_of_warp() == 0) value[warp_of_block() * each + j] = of_unit;
    }
    return each;
  }
}

/// Blocks that a multiprocessor shall hold. One where blocks send their results: those grids are
/// small, and all loads of a tile in flight at once are worth more than room for other blocks.
template <class Tile, class Output>
inline constexpr int blocks_to_hold = Output::takes_blocks ? 1 : Tile::resident_blocks;

/// Reduces the tiles of n terms; output(accumulator) runs in one thread of the grid, or of each
/// block where the output takes those.
///
/// A warp folds `each` (a power of two) adjacent units. All shapes share the aligned adjacent tree
/// above tiles, so that only the tile differs between them.
template <class Tile, class Output>
__global__ void __launch_bounds__(Tile::block, (blocks_to_hold<Tile, Output>))
    reduce_kernel(const __grid_constant__ Tile tile, index_t n, int each,
                  typename Tile::accumulator* partials, unsigned* counter,
                  const __grid_constant__ Output output) {
  ptx::grid_dependency_wait();
  __shared__ raw_array<typename Tile::accumulator, most_values<Tile>> value;
  const int left = warp_fold_units(tile, each, n, &value[0]);
  const auto of_block = block_tree(value, warps_of_block() * left, tile.reducer);
  if constexpr (Output::takes_blocks) {
    if (threadIdx.x == 0) output(of_block);
  } else {
    grid_finish<Tile::block>(of_block, partials, counter, tile.reducer, output);
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
                           .programmatic_launch = true};
  launch(space, shape, reduce_kernel<Tile, Output>, tile, n, grid.each,
         static_cast<typename Tile::accumulator*>(partials), counters(space), output);
}

/// Units of n terms.
template <class Tile>
index_t units_of(index_t n) {
  return ceil_div(n, unit_elements<Tile>);
}

/// The grid on which the device finishes a reduction.
template <class Tile>
reduce_grid device_grid(const cuda& space, index_t n) {
  return select_grid(units_of<Tile>(n), Tile::block / warp_threads, Tile::units,
                     limits(space).multiprocessors);
}

/// Scratch for the partial results of a grid: one a block, and as much again for the levels above.
template <class Accumulator>
void* partials_for(const cuda& space, const reduce_grid& grid) {
  if (grid.blocks == 1) return nullptr;
  return scratch(space, 2 * sizeof(Accumulator) * static_cast<std::size_t>(grid.blocks));
}

}  // namespace tandem::cuda_impl
