// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/kernel.cuh>
#include <tandem/backends/cuda/reduce/plan.hpp>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/reduction_shape.hpp>

/// Reductions of a few terms of a function, in the commutative shape. A warp that folds a tile
/// issues its loads batch by batch. Here many warps load all terms of a tile at once into shared
/// memory, and one warp folds them from there. So the memory latency is paid once, and few tiles
/// occupy many warps.
namespace tandem::cuda_impl {

/// Most tiles that a block keeps in shared memory, in sequence.
template <class R, bool HostCombines>
inline constexpr int small_tiles =
    max_small_tiles(canonical::tile<R>, sizeof(typename R::accumulator), small_block<HostCombines>);

/// The terms of a block's tiles. They are in dynamic shared memory, because nvcc 13.0 with -G and
/// -Ofc attributes one kernel's static shared memory to another.
template <class R, int Tiles>
using staged_tiles = raw_array<typename R::accumulator, Tiles * canonical::tile<R>>;

/// Terms that a thread loads, and threads that load a tile.
template <class R>
inline constexpr int small_terms = small_terms_per_thread(sizeof(typename R::accumulator));
template <class R>
inline constexpr int small_team = canonical::tile<R> / small_terms<R>;

/// Loads `Count` terms, starting at term `begin` and one team apart, before it stores the first of
/// them at staging[first]. Unless all of them exist (`Full`), terms past n become the identity.
template <int Count, bool Full, class Load, class R, class Room>
__device__ void stage_terms(const Load& load, const R& reducer, index_t n, index_t begin, int first,
                            Room& staging) {
  using accumulator = typename R::accumulator;
  constexpr int team = small_team<R>;
  const auto term_after = terms_from<Full>(load, reducer, begin, n);
  values<accumulator, Count> value;
#pragma unroll
  for (int k = 0; k < Count; ++k) value[k] = term_after(k * team);
#pragma unroll
  for (int k = 0; k < Count; ++k) staging[first + k * team] = value[k];
}

/// Loads this thread's terms of its tile; terms past n become the identity.
///
/// If all terms exist, they are loaded at once. With predicated loads, ptxas would let the
/// first term of a product wait for its factors before it loads the others.
template <class Load, class R, class Room>
__device__ void stage_tiles(const Load& load, const R& reducer, index_t n, Room& staging) {
  constexpr int team = small_team<R>;
  constexpr int terms = canonical::tile<R>;
  const int tile = static_cast<int>(threadIdx.x) / team;
  const int first = tile * terms + static_cast<int>(threadIdx.x) % team;
  const index_t begin = index_t{blockIdx.x} * (static_cast<int>(blockDim.x) / team * terms) + first;
  if (begin + (small_terms<R> - 1) * team < n && has_steps(load)) {
    stage_terms<small_terms<R>, true>(load, reducer, n, begin, first, staging);
  } else {
    constexpr int few = small_terms<R> / 2;
#pragma unroll 1
    for (int k = 0; k < small_terms<R>; k += few)
      stage_terms<few, false>(load, reducer, n, begin + k * team, first + k * team, staging);
  }
}

/// Folds the tile that starts at staging[begin] in shared memory, with one warp. The value is in
/// lane 0.
template <class R, class Room>
__device__ typename R::accumulator fold_shared_tile(const R& reducer, Room& staging, int begin) {
  using accumulator = typename R::accumulator;
  constexpr int lanes = canonical::lanes<R>;
  constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  constexpr int width = lanes / team;
  const int first = begin + lane_of_warp() % team;
  values<accumulator, width> lane;
#pragma unroll
  for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
#pragma unroll 8
  for (int row = 0; row < canonical::rows; ++row) {
#pragma unroll
    for (int k = 0; k < width; ++k)
      lane[k] = reducer.combine(lane[k], staging[first + row * lanes + k * team]);
  }
  if constexpr (width == 2) lane[0] = reducer.combine(lane[0], lane[1]);
#pragma unroll
  for (int h = team / 2; h >= 1; h /= 2)
    lane[0] = reducer.combine(lane[0], warp_shuffle_down(lane[0], h, team));
  return lane[0];
}

/// Reduces n terms. output(accumulator) runs in one thread of each block if the output takes block
/// results. Otherwise it runs in one thread of the grid, and `partials` has room for 2 gridDim.x
/// values.
template <class Load, class R, class Output>
__global__ void __launch_bounds__(small_block<Output::takes_block_results>)
    reduce_small_kernel(const __grid_constant__ Load load, const R reducer, index_t n,
                        typename R::accumulator* partials, unsigned* counter,
                        const __grid_constant__ Output output) {
  using accumulator = typename R::accumulator;
  constexpr int most = small_tiles<R, Output::takes_block_results>;
  ptx::grid_dependency_wait();
  extern __shared__ uint4 small_staging[];
  auto& staging = *reinterpret_cast<staged_tiles<R, most>*>(small_staging);
  __shared__ raw_array<accumulator, most> of_tile;
  stage_tiles(load, reducer, n, staging);
  __syncthreads();
  const int tiles = static_cast<int>(blockDim.x) / small_team<R>;
  const int warp = warp_of_block();
  if (warp < tiles) {
    const accumulator folded = fold_shared_tile(reducer, staging, warp * canonical::tile<R>);
    if (lane_of_warp() == 0) of_tile[warp] = folded;
  }
  const accumulator result = block_tree(of_tile, tiles, reducer);
  if constexpr (Output::takes_block_results) {
    if (threadIdx.x == 0) output(result);
  } else {
    auto& of_warp = staging.template first<small_block<false> / warp_threads>();
    last_block_reduce(of_warp, result, partials, counter, reducer, output);
  }
}

template <class Load, class R, class Output>
void launch_small_kernel(const cuda& space, const char* label, const reduce_grid& grid, index_t n,
                         const Load& load, const R& reducer, const Output& output, void* partials) {
  const int tiles = grid.items_per_warp;
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(grid.blocks)),
                           .block = dim3(static_cast<unsigned>(tiles * small_team<R>)),
                           .shared_bytes = tiles * sizeof(staged_tiles<R, 1>),
                           .label = label,
                           .programmatic_launch = true};
  launch(space, shape, reduce_small_kernel<Load, R, Output>, load, reducer, n,
         static_cast<typename R::accumulator*>(partials), counters(space), output);
}

}  // namespace tandem::cuda_impl
