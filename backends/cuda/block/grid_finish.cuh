// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/backends/cuda/reduce_policy.hpp>

/// From a value a warp to one of the whole grid, by the aligned adjacent tree, in one kernel.
namespace tandem::cuda_impl {

/// Partial results that one lane of the last block takes at once.
template <class T>
inline constexpr int run_each = select_reduce(sizeof(T)).partials;

/// The aligned adjacent tree over the warps' values, each in its lane 0; the result is in thread 0.
/// A barrier has to lie between two calls.
template <int Warps, class T, class R>
__device__ T block_tree(const T& value, const R& reducer) {
  __shared__ raw_array<T, Warps> of_warp;
  if (lane_of_warp() == 0) of_warp[warp_of_block()] = value;
  __syncthreads();
  if (warp_of_block() > 0) return value;
  const T own = lane_of_warp() < Warps ? of_warp[lane_of_warp()] : reducer.identity();
  return warp_tree<1, Warps>(own, reducer);
}

/// Stores the block's value (in thread 0) and tells whether all other blocks have stored theirs.
/// True in exactly one block, which may then read the partial results from L2. The order of arrival
/// decides who, never what.
template <class T>
__device__ bool block_arrives_last(const T& value, T* partials, unsigned* counter) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    __threadfence();
    // Wraps to zero with the last arrival, as the counter's next user expects it.
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// The aligned adjacent tree over the run of partial results that begins at `first`, by one warp;
/// the result is in lane 0. Results beyond `count` are missing.
template <int Each, class T, class R>
__device__ T warp_fold_run(const T* partials, int first, int count, const R& reducer) {
  const int begin = first + lane_of_warp() * Each;
  values<T, Each> value;
#pragma unroll
  for (int i = 0; i < Each; ++i)
    value[i] = begin + i < count ? load_l2(partials + begin + i) : reducer.identity();
#pragma unroll
  for (int distance = 1; distance < Each; distance *= 2) {
#pragma unroll
    for (int i = 0; i < Each; i += 2 * distance)
      value[i] = reducer.combine(value[i], value[i + distance]);
  }
  return warp_tree<1, warp_threads>(value[0], reducer);
}

/// Combines the blocks' values, each in its thread 0, in the last block to arrive: output(result)
/// runs in one thread of the grid. `partials` has room for 2 gridDim.x values.
template <int Threads, class T, class R, class Output>
__device__ void grid_finish(const T& value, T* partials, unsigned* counter, const R& reducer,
                            const Output& output) {
  constexpr int run = run_each<T> * warp_threads;
  constexpr int warps = Threads / warp_threads;
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) output(value);
    return;
  }
  if (!block_arrives_last(value, partials, counter)) return;
  int count = static_cast<int>(gridDim.x);
  while (count > warps * run) {
    const int runs = (count + run - 1) / run;
    for (int i = warp_of_block(); i < runs; i += warps) {
      const T folded = warp_fold_run<run_each<T>>(partials, i * run, count, reducer);
      // Behind this level, which other warps still read.
      if (lane_of_warp() == 0) partials[count + i] = folded;
    }
    __syncthreads();
    partials += count;
    count = runs;
  }
  const T folded = warp_fold_run<run_each<T>>(partials, warp_of_block() * run, count, reducer);
  const T result = block_tree<warps>(folded, reducer);
  if (threadIdx.x == 0) output(result);
}

}  // namespace tandem::cuda_impl
