// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/histogram_bins.hpp>

#include <cstdint>

/// What blocks of a histogram do together.
namespace tandem::cuda_impl {

/// The bins of a block in shared memory: those from `first` on and a spare one, `copies` of each
/// side by side.
struct block_bins {
  unsigned first;
  unsigned count;
  unsigned copies;

  __device__ unsigned words() const { return (count + 1) * copies; }
  /// The word of copy number `copy` of bin `first + bin`.
  __device__ unsigned word(unsigned bin, unsigned copy) const { return bin * copies + copy; }
  /// The copy that lane `bin % 32` reads in step `step` of adding up a bin's copies: neighbours in
  /// different banks.
  __device__ unsigned turn(unsigned bin, unsigned step) const {
    return (step + bin) & (copies - 1);
  }
};

/// A thread's copy of each bin, by addresses as instructions on shared memory take them. Kept in
/// one register: from a pointer, the compiler would rather compute the address anew for each value.
class lane_bins {
 public:
  __device__ lane_bins(const block_bins& bins, const unsigned* words)
      : address_(static_cast<unsigned>(
            __cvta_generic_to_shared(words + (threadIdx.x & (bins.copies - 1))))),
        pitch_(bins.copies * static_cast<unsigned>(sizeof(unsigned))) {
    asm volatile("" : "+r"(address_));
  }

  /// One more in a bin. With one as a constant this is ATOMS.POPC.INC, which counts a warp's equal
  /// addresses at once.
  __device__ void count(unsigned bin) const {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(address_ + bin * pitch_) : "memory");
  }

 private:
  unsigned address_;
  unsigned pitch_;
};

/// Slice number blockIdx.y of all bins.
__device__ inline block_bins make_block_bins(unsigned bins, unsigned slice, unsigned copies) {
  const unsigned first = blockIdx.y * slice;
  return {first, first >= bins ? 0 : bins - first < slice ? bins - first : slice, copies};
}

/// A rule as it is used in a block. Explicit edges move to shared memory at `table`, unless that is
/// null.
template <class Rule>
__device__ inline const Rule& stage_rule(const Rule& rule, void*) {
  return rule;
}
template <class T>
__device__ inline edge_bin_rule<T> stage_rule(const edge_bin_rule<T>& rule, void* table) {
  if (table == nullptr) return rule;
  T* const edges = static_cast<T*>(table);
  for (unsigned i = threadIdx.x; i <= rule.bins(); i += blockDim.x) edges[i] = rule.edges()[i];
  return {edges, static_cast<index_t>(rule.bins())};
}

/// A stream's counters as the blocks of a histogram use them.
struct histogram_turns {
  unsigned arrived;
  unsigned cleared;
  unsigned left;
};

/// Whether this is the first block of the launch to arrive, for all its threads. It shall clear the
/// counts and say so.
__device__ inline bool arrives_first(histogram_turns& turns) {
  __shared__ bool first;
  if (threadIdx.x == 0) first = atomicAdd(&turns.arrived, 1u) == 0;
  __syncthreads();
  return first;
}

/// Tells all blocks that what this one has written is there to be added to.
__device__ inline void announce_cleared(histogram_turns& turns) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&turns.cleared, 1u);
}

/// Waits for that. No deadlock: who clears has arrived, so it runs, and it waits for nobody.
__device__ inline void wait_until_cleared(histogram_turns& turns) {
  if (threadIdx.x == 0) {
    while (atomicAdd(&turns.cleared, 0u) == 0) __nanosleep(64);
    __threadfence();
  }
  __syncthreads();
}

/// The last block to leave puts the counters back to zero.
__device__ inline void leave(histogram_turns& turns) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(&turns.left, 1u) == gridDim.x * gridDim.y - 1) turns = {};
}

}  // namespace tandem::cuda_impl
