// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/contract/histogram_bins.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>
#include <type_traits>

/// A block's bins in shared memory, and what the rules that find a bin have in common.
namespace tandem::cuda_impl {

/// The bins of a block in shared memory: `count` bins starting at `first` plus a spare one, with
/// `copies` adjacent words for each.
struct block_bins {
  unsigned first;
  unsigned count;
  unsigned copies;

  __device__ unsigned words() const { return (count + 1) * copies; }
  /// The word of copy `copy` of bin `first + bin`.
  __device__ unsigned word(unsigned bin, unsigned copy) const { return bin * copies + copy; }
  /// The copy to read in step `step` of merging a bin's copies. It is rotated by the bin, so that
  /// the lanes of a warp, which merge adjacent bins, access different banks.
  __device__ unsigned rotated_copy(unsigned bin, unsigned step) const {
    return (step + bin) & (copies - 1);
  }
};

/// A thread's copy of each bin, addressed as shared memory instructions expect. The barrier keeps
/// the address in a register; otherwise the compiler would recompute it for each value.
class lane_bins {
 public:
  __device__ lane_bins(const block_bins& bins, const unsigned* words)
      : address_(ptx::shared_address(words + (threadIdx.x & (bins.copies - 1)))),
        pitch_(bins.copies * static_cast<unsigned>(sizeof(unsigned))) {
    address_ = ptx::optimization_barrier(address_);
  }

  /// Increments a bin. Because of the constant 1, the instruction is ATOMS.POPC.INC, which counts
  /// all equal addresses of a warp at once.
  __device__ void count(unsigned bin) const {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(address_ + bin * pitch_) : "memory");
  }

 private:
  unsigned address_;
  unsigned pitch_;
};

/// Returns the bins of slice blockIdx.y.
__device__ inline block_bins make_block_bins(unsigned bins, unsigned slice, unsigned copies) {
  const unsigned first = blockIdx.y * slice;
  return {first, first >= bins ? 0 : bins - first < slice ? bins - first : slice, copies};
}

/// Replaces x by the next larger value. Returns false and leaves x unchanged if there is none or x
/// is NaN.
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
    if (x == detail::largest_of<T>) return false;
    ++x;
    return true;
  }
}

/// Returns the rule that a block uses. Most rules are used unchanged; others put their tables into
/// shared memory.
template <class Rule>
__device__ inline const Rule& stage_rule(const Rule& rule, void*, const block_bins&) {
  return rule;
}

}  // namespace tandem::cuda_impl
