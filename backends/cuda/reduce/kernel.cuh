// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>
#include <tandem/backends/cuda/reduce/plan.hpp>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/runtime/result_slot.cuh>
#include <tandem/core/math.hpp>

#include <cstdint>

/// The kernel of every reduction to one value: warps fold tiles, and the aligned adjacent tree
/// combines the tiles of a warp, the warps of a block and the blocks of the grid. A tile defines
/// how the warps of a block fold terms:
///   accumulator, reducer
///   block                       most threads per block
///   min_blocks_per_sm           blocks that each multiprocessor must hold; 0 for the compiler's
///                               choice
///   items                       how many work items a warp processes (policy.hpp)
///   item_elements               terms per work item
///   max_values                  most values that the warps of a block leave to its tree
///   fold_items(each, n, value)  folds this warp's `each` work items of n terms into value[..], in
///                               the order of the terms over the warps of the block; returns how
///                               many values a warp leaves. All lanes of a warp must call it
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

/// Writes the accumulator to device memory.
template <class Accumulator>
struct device_output {
  static constexpr bool takes_block_results = false;

  Accumulator* value;

  __device__ void operator()(const Accumulator& result) const { *value = result; }
};

/// Writes the finished result to device memory.
template <class R>
struct result_output {
  static constexpr bool takes_block_results = false;

  typename R::result* out;
  R reducer;

  __device__ void operator()(const typename R::accumulator& result) const {
    *out = reducer.finish(result);
  }
};

/// Partial results that one lane of the last block combines at a time.
template <class T>
inline constexpr int partials_per_lane = select_reduce(sizeof(T)).partials;

/// The aligned adjacent tree over the first `Lanes` lanes, using the reducer's collective if it has
/// one (instances/sum.cu). The result is in lane 0.
template <int Lanes, class T, class R>
__device__ T warp_reduce(const T& value, const R& reducer) {
  if constexpr (requires { reducer.template warp_reduce<Lanes>(value); }) {
    return reducer.template warp_reduce<Lanes>(value);
  } else {
    return warp_tree<1, Lanes>(value, reducer);
  }
}

/// One warp's aligned adjacent tree over `count` values, at most Each * Lanes, that load(i) reads.
/// The result is in lane 0.
template <class T, int Each, int Lanes = warp_threads, class R, class Load>
__device__ T warp_fold_run(int count, const R& reducer, const Load& load) {
  const int begin = lane_of_warp() * Each;
  values<T, Each> value;
#pragma unroll
  for (int i = 0; i < Each; ++i)
    value[i] = begin + i < count ? load(begin + i) : reducer.identity();
#pragma unroll
  for (int distance = 1; distance < Each; distance *= 2) {
#pragma unroll
    for (int i = 0; i < Each; i += 2 * distance)
      value[i] = reducer.combine(value[i], value[i + distance]);
  }
  return warp_reduce<Lanes>(value[0], reducer);
}

/// The aligned adjacent tree over `count` values in shared memory, at most `Most` (a power of two).
/// Synchronises the threads of the block first. The result is in thread 0.
template <int Most, class T, class R>
__device__ T block_tree(raw_array<T, Most>& value, int count, const R& reducer) {
  if (count == 1 && warps_of_block() == 1) {
    __syncwarp();
    return value[0];
  }
  __syncthreads();
  if (warp_of_block() > 0) return reducer.identity();
  constexpr int each = (Most + warp_threads - 1) / warp_threads;
  return warp_fold_run<T, each, Most / each>(count, reducer, [&](int i) { return value[i]; });
}

/// Stores the block's value (from thread 0) and returns whether all other blocks have stored
/// theirs. This is true in exactly one block, which may then read the partial results from L2. The
/// order of arrival decides which block combines, never the result.
template <class T>
__device__ bool block_arrives_last(const T& value, T* partials, unsigned* counter) {
  __shared__ bool last;
  // The compiler may overlay `last` on what warp 0 read for the value, so no lane may still read
  // it.
  __syncwarp();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    // Wraps to zero on the last arrival, as the counter's next user expects.
    last = ptx::atom_inc_acq_rel(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

/// Combines the blocks' values, each in its thread 0, in the last block to arrive; output(result)
/// runs in one thread of the grid. `partials` has room for 2 gridDim.x values. `of_warp` is in
/// shared memory, with one value per warp; it may overlap what warp 0 read for the block's value.
template <class T, int Warps, class R, class Output>
__device__ void last_block_reduce(raw_array<T, Warps>& of_warp, const T& value, T* partials,
                                  unsigned* counter, const R& reducer, const Output& output) {
  constexpr int run = partials_per_lane<T> * warp_threads;
  const int warps = warps_of_block();
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) output(value);
    return;
  }
  if (!block_arrives_last(value, partials, counter)) return;
  int count = static_cast<int>(gridDim.x);
  const auto fold_run = [&](int begin) {
    return warp_fold_run<T, partials_per_lane<T>>(
        tandem::min(run, count - begin), reducer,
        [&](int i) { return load_l2(partials + begin + i); });
  };
  while (count > warps * run) {
    const int runs = (count + run - 1) / run;
    for (int i = warp_of_block(); i < runs; i += warps) {
      const T folded = fold_run(i * run);
      // After this level, which other warps are still reading.
      if (lane_of_warp() == 0) partials[count + i] = folded;
    }
    __syncthreads();
    partials += count;
    count = runs;
  }
  const T folded = fold_run(warp_of_block() * run);
  if (lane_of_warp() == 0) of_warp[warp_of_block()] = folded;
  const T result = block_tree(of_warp, warps, reducer);
  if (threadIdx.x == 0) output(result);
}

/// Blocks that each multiprocessor must hold. This is one if blocks send their results: such grids
/// are small, and having all loads of a tile in flight at once outweighs occupancy.
template <class Tile, class Output>
inline constexpr int min_blocks_per_sm_for =
    Output::takes_block_results ? 1 : Tile::min_blocks_per_sm;

/// Reduces the tiles of n terms. output(accumulator) runs in one thread of the grid or, if the
/// output takes block results, in one thread of each block.
///
/// A warp folds `each` (a power of two) adjacent work items. All shapes share the aligned adjacent
/// tree above tiles, so they differ only in the tile.
template <class Tile, class Output>
__global__ void __launch_bounds__(Tile::block, (min_blocks_per_sm_for<Tile, Output>))
    reduce_kernel(const __grid_constant__ Tile tile, index_t n, int each,
                  typename Tile::accumulator* partials, unsigned* counter,
                  const __grid_constant__ Output output) {
  ptx::grid_dependency_wait();
  __shared__ raw_array<typename Tile::accumulator, Tile::max_values> value;
  const int left = tile.fold_items(each, n, &value[0]);
  const auto of_block = block_tree(value, warps_of_block() * left, tile.reducer);
  if constexpr (Output::takes_block_results) {
    if (threadIdx.x == 0) output(of_block);
  } else {
    auto& of_warp = value.template first<Tile::block / warp_threads>();
    last_block_reduce(of_warp, of_block, partials, counter, tile.reducer, output);
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
  launch(space, shape, reduce_kernel<Tile, Output>, tile, n, grid.items_per_warp,
         static_cast<typename Tile::accumulator*>(partials), counters(space), output);
}

}  // namespace tandem::cuda_impl
