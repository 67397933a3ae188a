// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// The counts that a histogram writes, and the protocol by which its blocks clear them.
namespace tandem::cuda_impl {

/// The result of counting: integers of 4 or 8 bytes, one per bin.
struct histogram_counts {
  void* data;
  unsigned bytes;

  __device__ void store(index_t bin, unsigned count) const {
    if (bytes == 8) {
      static_cast<unsigned long long*>(data)[bin] = count;
    } else {
      static_cast<unsigned*>(data)[bin] = count;
    }
  }
  /// Zeroes all counts. Called by one warp, so that the others can count.
  __device__ void clear(unsigned bins) const {
#pragma unroll 4
    for (unsigned bin = threadIdx.x % 32; bin < bins; bin += 32) store(bin, 0);
  }
  __device__ void add(index_t bin, unsigned count) const {
    if (bytes == 8) {
      atomicAdd(static_cast<unsigned long long*>(data) + bin, count);
    } else {
      atomicAdd(static_cast<unsigned*>(data) + bin, count);
    }
  }
};

/// A stream's counters as the blocks of one launch use them. The first block to arrive clears the
/// counts, the others wait for that before they add theirs, and the last to leave resets the
/// counters.
struct arrival_counters {
  unsigned arrived;
  unsigned cleared;
  unsigned left;
};

/// Returns how many blocks of the launch arrived before this one. Called by one thread per block.
__device__ inline unsigned arrive(arrival_counters& arrivals) {
  return atomicAdd(&arrivals.arrived, 1u);
}

/// Signals to all blocks that the counts are cleared. Called by the warp that cleared them.
__device__ inline void announce_cleared(arrival_counters& arrivals) {
  __threadfence();
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicExch(&arrivals.cleared, 1u);
}

/// Waits until the counts are cleared. Called by one thread per block; a barrier must follow. There
/// is no deadlock: the block that clears has arrived, so it is resident, and it waits for no other.
__device__ inline void wait_until_cleared(arrival_counters& arrivals) {
  while (atomicAdd(&arrivals.cleared, 0u) == 0) __nanosleep(64);
  __threadfence();
}

/// Ends a block's use of the counters; the last block resets them to zero.
__device__ inline void leave(arrival_counters& arrivals) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(&arrivals.left, 1u) == gridDim.x * gridDim.y - 1) arrivals = {};
}

}  // namespace tandem::cuda_impl
