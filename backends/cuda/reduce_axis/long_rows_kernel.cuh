// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/kernel.cuh>
#include <tandem/backends/cuda/reduce/ordered_tile.cuh>
#include <tandem/backends/cuda/reduce_axis/short_rows_kernel.cuh>

#include <utility>

/// Reduces long slices, one team per tile, in the commutative or the ordered shape.
///
/// A slices type defines how the threads of a block share tiles:
///   accumulator, reducer
///   team, block            threads per team and per block
///   min_blocks_per_sm      blocks that each multiprocessor must hold; 0 leaves it to the compiler
///   max_tiles_per_team     most tiles per team
///   min_tiles              fewest adjacent tiles of a slice per block
///   tile_terms             terms per tile
///   fold(p, q, t, terms)   value of tile t of slice (p, q), in the team's first thread; the
///                          identity past `terms`. All lanes of a warp must call it
namespace tandem::cuda_impl {

/// Tiles of the commutative shape.
template <class Rows, int Team, int Batch>
struct lane_slices {
  using accumulator = typename Rows::accumulator;
  using lanes = lane_team<Rows, Team, Batch>;
  static constexpr int team = Team;
  static constexpr int block = 256;
  static constexpr int min_blocks_per_sm = blocks_per_sm_for(block, lanes::registers + Rows::spare);
  static constexpr int max_tiles_per_team = 16;
  static constexpr int min_tiles = 2;  // slices of one tile have separate kernels
  static constexpr index_t tile_terms = canonical::tile<reducer_of<Rows>>;

  Rows x;

  __device__ const auto& reducer() const { return x.reducer; }
  __device__ accumulator fold(index_t p, index_t q, index_t tile, index_t terms) const {
    return lanes::fold(x, x.slice(p, q), tile * tile_terms, terms);
  }
};

/// Segments of the ordered shape; consecutive segments of a slice are in consecutive lanes.
template <class Slices, class R>
struct ordered_slices {
  using load = decltype(std::declval<const Slices&>()(index_t{}, index_t{}));
  using tile = ordered_tile<load, R>;
  using accumulator = typename R::accumulator;
  static constexpr int team = 1;
  static constexpr int block = tile::block;
  static constexpr int min_blocks_per_sm = 0;
  static constexpr int max_tiles_per_team = 1;
  static constexpr int min_tiles = warp_threads;
  static constexpr index_t tile_terms = canonical::segment;

  Slices slices;
  R own_reducer;

  __device__ const R& reducer() const { return own_reducer; }
  __device__ accumulator fold(index_t p, index_t q, index_t segment, index_t terms) const {
    return tile{slices(p, q), own_reducer}.fold(segment, terms);
  }
};

/// Enumerates the slices and tiles of a launch's blocks.
struct slice_grid {
  index_t outer = 1;
  index_t inner = 1;
  index_t terms = 0;
  int tiles = 1;        ///< tiles of one slice per block: a power of two
  int each = 1;         ///< tiles per team: a power of two
  int chunks = 1;       ///< blocks that share a slice; 1 if a block has whole slices
  index_t first = 0;    ///< index of the launch's first block
  index_t sharing = 1;  ///< slices that share a counter
};

/// How the teams of a block divide its tiles. Teams of the same warp process adjacent tiles.
template <class Slices>
struct slice_block {
  static constexpr int teams = Slices::block / Slices::team;
  static constexpr int warps = Slices::block / warp_threads;
  static constexpr int warp_teams = warp_threads / Slices::team;
  /// Most values that a warp produces per round: one per slice of which it has tiles.
  static constexpr int max_left =
      warp_teams > Slices::min_tiles ? warp_teams / Slices::min_tiles : 1;
  /// Most tiles per team: the values that they produce occupy at most 4 KiB.
  static constexpr int max_tiles_per_team = [] {
    constexpr std::size_t round_bytes = warps * max_left * sizeof(typename Slices::accumulator);
    int each = 1;
    while (each < Slices::max_tiles_per_team && 2 * each * round_bytes <= 4096) each *= 2;
    return each;
  }();
  static constexpr int max_values = warps * max_left * max_tiles_per_team;
};

/// The aligned adjacent tree over groups of `group` values. A group's result replaces its first
/// value. All threads of the block must call it.
template <class T, class R>
__device__ void fold_groups(T* value, int count, int group, const R& reducer) {
#pragma unroll 1
  for (int distance = 1; distance < group; distance *= 2) {
    __syncthreads();
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x) * 2 * distance; at + distance < count;
         at += static_cast<int>(blockDim.x) * 2 * distance)
      value[at] = reducer.combine(value[at], value[at + distance]);
  }
  __syncthreads();
}

/// Ends a block that has folded part of a slice: the last of the blocks that share a counter
/// combines the parts.
template <class R, class T, class Output>
__device__ void finish_slices(const R& reducer, const slice_grid& grid, index_t slice,
                              const axis_partials<T>& parts, const Output& output) {
  const index_t group = slice / grid.sharing;
  const index_t first = group * grid.sharing;
  const index_t end = tandem::min(first + grid.sharing, grid.outer * grid.inner);
  const auto arrivals = static_cast<unsigned>((end - first) * grid.chunks);
  if (!block_arrives_last_of(parts.counters + group, arrivals)) return;
  finish_outputs(parts.partials, parts.outputs, first, end, grid.chunks, reducer, output);
}

/// Reduces whole slices, or a chunk of one slice. The last block to arrive combines the chunks.
template <class Slices, class Output>
__global__ void __launch_bounds__(Slices::block, Slices::min_blocks_per_sm)
    slice_kernel(const __grid_constant__ Slices slices, const slice_grid grid,
                 axis_partials<typename Slices::accumulator> parts,
                 const __grid_constant__ Output output) {
  ptx::grid_dependency_wait();
  using accumulator = typename Slices::accumulator;
  using shape = slice_block<Slices>;
  __shared__ raw_array<accumulator, shape::max_values> value;
  const auto& reducer = slices.reducer();
  const index_t outputs = grid.outer * grid.inner;
  const int block_slices = shape::teams * grid.each / grid.tiles;
  const index_t block = grid.first + blockIdx.x;
  const index_t first_slice = block / grid.chunks * block_slices;
  const index_t chunk = block % grid.chunks;
  const int joined = tandem::min(grid.tiles, shape::warp_teams);  // tiles that a warp combines
  const int left = shape::warp_teams / joined;                    // values that it produces
#pragma unroll 1
  for (int j = 0; j < grid.each; ++j) {
    const int unit = j * shape::teams + static_cast<int>(threadIdx.x) / Slices::team;
    const index_t slice = first_slice + unit / grid.tiles;
    const bool exists = slice < outputs;
    const output_index at = split_output(exists ? slice : 0, grid.outer, grid.inner);
    accumulator own =
        slices.fold(at.p, at.q, chunk * grid.tiles + unit % grid.tiles, exists ? grid.terms : 0);
    for (int distance = 1; distance < joined; distance *= 2)
      own = reducer.combine(own, warp_shuffle_down(own, distance * Slices::team));
    if (lane_of_warp() % (joined * Slices::team) == 0) {
      value[(j * shape::warps + warp_of_block()) * left +
            lane_of_warp() / (joined * Slices::team)] = own;
    }
  }
  const int group = grid.tiles / joined;
  fold_groups(&value[0], shape::warps * grid.each * left, group, reducer);
#pragma unroll 1
  for (int s = static_cast<int>(threadIdx.x); s < block_slices && first_slice + s < outputs;
       s += Slices::block) {
    if (grid.chunks == 1) {
      output(first_slice + s, value[s * group]);
    } else {
      parts.partials[chunk * outputs + first_slice] = value[0];
    }
  }
  if (grid.chunks > 1) finish_slices(reducer, grid, first_slice, parts, output);
}

}  // namespace tandem::cuda_impl
