// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/backends/cuda/reduce_policy.hpp>
#include <tandem/core/canonical.hpp>

namespace tandem::cuda_impl {

/// A tile of the ordered shape (see lane_tile.cuh for what a tile type is): one segment of
/// contiguous terms, folded from the left by one thread. The tree above segments is the one above
/// tiles.
template <class Load, class R>
struct ordered_tile {
  using accumulator = typename R::accumulator;
  static constexpr int team = 1;
  static constexpr int block = select_ordered_block(sizeof(accumulator));
  static constexpr int resident_blocks = 0;
  static constexpr index_t elements = canonical::segment;

  Load load;
  R reducer;

  /// The warp's lanes come with consecutive segments.
  __device__ accumulator fold(index_t segment, index_t n) const {
    if constexpr (sizeof(accumulator) <= most_staged_bytes) {
      return fold_staged((segment - lane_of_warp()) * elements, n);
    } else {
      return fold_direct(segment * elements, n);
    }
  }

 private:
  static constexpr int warp_elements = canonical::segment * warp_threads;
  // Odd, so that lanes reading their segments meet no bank twice.
  static constexpr int pitch = canonical::segment + 1;

  /// Neighbouring lanes load neighbouring terms, all in flight together, and find their own
  /// segments in shared memory.
  __device__ accumulator fold_staged(index_t begin, index_t n) const {
    __shared__ raw_array<accumulator, block * pitch> staging;
    const int mine = warp_of_block() * warp_threads * pitch;
    values<accumulator, canonical::segment> term;
    if (begin + warp_elements <= n) {
#pragma unroll
      for (int j = 0; j < canonical::segment; ++j)
        term[j] = load(begin + j * warp_threads + lane_of_warp());
    } else {
#pragma unroll
      for (int j = 0; j < canonical::segment; ++j) {
        const index_t i = begin + j * warp_threads + lane_of_warp();
        term[j] = i < n ? load(i) : reducer.identity();
      }
    }
#pragma unroll
    for (int j = 0; j < canonical::segment; ++j) {
      const int place = j * warp_threads + lane_of_warp();
      staging[mine + place + place / canonical::segment] = term[j];
    }
    __syncwarp();
    accumulator value = staging[mine + lane_of_warp() * pitch];
#pragma unroll
    for (int j = 1; j < canonical::segment; ++j) {
      value = reducer.combine(value, staging[mine + lane_of_warp() * pitch + j]);
    }
    return value;
  }

  __device__ accumulator fold_direct(index_t begin, index_t n) const {
    accumulator value = begin < n ? load(begin) : reducer.identity();
#pragma unroll 1
    for (int j = 1; j < canonical::segment && begin + j < n; ++j)
      value = reducer.combine(value, load(begin + j));
    return value;
  }
};

}  // namespace tandem::cuda_impl
