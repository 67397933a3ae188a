// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/contract/histogram_bins.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

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
      : address_(ptx::optimization_barrier(
            ptx::shared_address(words + (threadIdx.x & (bins.copies - 1))))),
        pitch_(bins.copies * static_cast<unsigned>(sizeof(unsigned))) {}

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

/// A variable, since device code may not call the function that it comes from.
template <class T>
inline constexpr T largest_value = std::numeric_limits<T>::max();

/// Whether there is a value above x, NaN aside; then x becomes the lowest of them.
template <class T>
__device__ inline bool step_up(T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    using Word = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    if (!(x < static_cast<T>(__builtin_huge_val()))) return false;
    const Word bits = __builtin_bit_cast(Word, x);
    x = x == 0 ? __builtin_bit_cast(T, Word{1})
               : __builtin_bit_cast(T, x > 0 ? bits + 1 : bits - 1);
    return true;
  } else {
    if (x == largest_value<T>) return false;
    ++x;
    return true;
  }
}

/// A rule as it is used in a block: most are as they come.
template <class Rule>
__device__ inline const Rule& stage_rule(const Rule& rule, void*, const block_bins&) {
  return rule;
}

/// A stream's counters as the blocks of a histogram use them.
struct arrival_counters {
  unsigned arrived;
  unsigned cleared;
  unsigned left;
};

/// How many blocks of the launch have arrived before: for one thread of each block. The first one
/// shall clear the counts and say so.
__device__ inline unsigned arrive(arrival_counters& arrivals) {
  return atomicAdd(&arrivals.arrived, 1u);
}

/// Tells all blocks that what this warp has written is there to be added to.
__device__ inline void announce_cleared(arrival_counters& arrivals) {
  __threadfence();
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicExch(&arrivals.cleared, 1u);
}

/// Waits for that, one thread for its block; a barrier has to follow. No deadlock: who clears has
/// arrived, so it runs, and it waits for nobody.
__device__ inline void wait_until_cleared(arrival_counters& arrivals) {
  while (atomicAdd(&arrivals.cleared, 0u) == 0) __nanosleep(64);
  __threadfence();
}

/// The last block to leave puts the counters back to zero.
__device__ inline void leave(arrival_counters& arrivals) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(&arrivals.left, 1u) == gridDim.x * gridDim.y - 1) arrivals = {};
}

}  // namespace tandem::cuda_impl
