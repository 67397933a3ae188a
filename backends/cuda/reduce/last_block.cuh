// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/core/math.hpp>

/// From one value per warp to one value of the grid, by the aligned adjacent tree, in one kernel.
namespace tandem::cuda_impl {

/// Partial results that one lane of the last block combines at a time.
template <class T>
inline constexpr int partials_per_lane = select_reduce(sizeof(T)).partials;

/// Warps of this block.
__device__ inline int warps_of_block() { return static_cast<int>(blockDim.x) / warp_threads; }

/// The aligned adjacent tree over `count` values, at most Each * Lanes, that load(i) reads, by one
/// warp; the result is in lane 0.
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
  return warp_tree<1, Lanes>(value[0], reducer);
}

/// The aligned adjacent tree over `count` values in shared memory, at most `Most` (a power of two),
/// after all threads of the block have arrived; the result is in thread 0.
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

/// Stores the block's value (in thread 0) and returns whether all other blocks have stored theirs.
/// True in exactly one block, which may then read the partial results from L2. The order of arrival
/// decides who, never what.
template <class T>
__device__ bool block_arrives_last(const T& value, T* partials, unsigned* counter) {
  __shared__ bool last;
  // The compiler may place `last` over what warp 0 read for the value: no lane may still read it.
  __syncwarp();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    // Wraps to zero with the last arrival, as the counter's next user expects it.
    last = ptx::atom_inc_acq_rel(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

/// Combines the blocks' values, each in its thread 0, in the last block to arrive: output(result)
/// runs in one thread of the grid. `partials` has room for 2 gridDim.x values; a block has at most
/// `Threads` threads.
template <int Threads, class T, class R, class Output>
__device__ void last_block_reduce(const T& value, T* partials, unsigned* counter, const R& reducer,
                                  const Output& output) {
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
      // Behind this level, which other warps still read.
      if (lane_of_warp() == 0) partials[count + i] = folded;
    }
    __syncthreads();
    partials += count;
    count = runs;
  }
  __shared__ raw_array<T, Threads / warp_threads> of_warp;
  const T folded = fold_run(warp_of_block() * run);
  if (lane_of_warp() == 0) of_warp[warp_of_block()] = folded;
  const T result = block_tree(of_warp, warps, reducer);
  if (threadIdx.x == 0) output(result);
}

}  // namespace tandem::cuda_impl
