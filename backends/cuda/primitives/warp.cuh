// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>

/// Warp collectives for values of any trivially copyable type. All 32 lanes must call them
/// converged.
namespace tandem::cuda_impl {

inline constexpr unsigned whole_warp = 0xffffffffu;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % warp_threads; }
__device__ inline int warp_of_block() { return static_cast<int>(threadIdx.x) / warp_threads; }

/// Returns the value of the lane `distance` above this one in its group of `width` lanes, or this
/// lane's value if there is none.
template <class T>
__device__ T warp_shuffle_down(const T& value, int distance, int width = warp_threads) {
  return move_words(value,
                    [=](unsigned w) { return __shfl_down_sync(whole_warp, w, distance, width); });
}

/// Returns the value of the lane `distance` below this one, or this lane's value if there is none.
template <class T>
__device__ T warp_shuffle_up(const T& value, int distance) {
  return move_words(value, [=](unsigned w) { return __shfl_up_sync(whole_warp, w, distance); });
}

/// Returns the value of lane `source`.
template <class T>
__device__ T warp_shuffle(const T& value, int source) {
  return move_words(value, [=](unsigned w) { return __shfl_sync(whole_warp, w, source); });
}

/// Reduces the values of lanes 0, First, 2 First, .. below Last with the canonical pairwise tree.
/// The result is in lane 0.
template <int First, int Last, class T, class R>
__device__ T warp_tree(T value, const R& reducer) {
#pragma unroll
  for (int distance = First; distance < Last; distance *= 2) {
    value = reducer.combine(value, warp_shuffle_down(value, distance));
  }
  return value;
}

/// Kogge-Stone inclusive scan over the lanes, which is the canonical row of a scan. A lane's result
/// depends only on its value and those of the lanes below it.
template <class T, class R>
__device__ T warp_inclusive_scan(T value, const R& reducer) {
#pragma unroll
  for (int distance = 1; distance < warp_threads; distance *= 2) {
    const T left = warp_shuffle_up(value, distance);
    if (lane_of_warp() >= distance) value = reducer.combine(left, value);
  }
  return value;
}

}  // namespace tandem::cuda_impl
