// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/input.cuh>
#include <tandem/backends/cuda/histogram/output.cuh>

#include <cstdint>

/// Avoids contention in global memory for bins into which many values fall.
namespace tandem::cuda_impl {

/// Slots in shared memory for the hot bins of a block, chosen from a sample before it starts. A
/// slot belongs to the first of its bins in the sample, so a bin with a large fraction of all
/// values almost certainly has its slot in nearly all blocks.
class hot_slots {
 public:
  /// Returned by find() for a bin without a slot.
  static constexpr unsigned none = 0xffffffffu;

  /// @param words  1 + `payload` words of shared memory per slot
  /// @param slots  0 or a power of two
  __device__ hot_slots(unsigned* words, unsigned slots) : owners_(words), slots_(slots) {
    shift_ = 31 - __clz(static_cast<int>(slots));
  }

  __device__ unsigned size() const { return slots_; }
  /// Word `number` of the payload; one per slot.
  __device__ unsigned* payload(unsigned number) const { return owners_ + (number + 1) * slots_; }

  /// Clears the payload and assigns the slots to the bins of a sample, which consists of adjacent
  /// values at a random position per thread. If there are slots, all threads must call it.
  template <class Rule>
  __device__ void choose(const Rule& rule, const histogram_input<typename Rule::value_type>& x,
                         unsigned payload) const {
    for (unsigned w = threadIdx.x; w < (payload + 1) * slots_; w += blockDim.x) owners_[w] = 0;
    __syncthreads();
    constexpr int neighbours = 4;
    const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
    const std::uint64_t random = number * 0x9e3779b97f4a7c15u >> 16;  // golden ratio
    const auto first = static_cast<index_t>(random % static_cast<std::uint64_t>(x.size));
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
      const index_t bin = find_bin(rule, x[min(first + k, x.size - 1)]);
      if (bin != no_bin) atomicCAS(owners_ + slot(bin), 0u, owner(bin));
    }
    __syncthreads();
  }

  /// Returns the slot of a bin, or `none`. `Bin` is index_t or, for 32-bit bins, unsigned.
  template <class Bin>
  __device__ unsigned find(Bin bin) const {
    if (slots_ == 0) return none;
    const unsigned s = slot(bin);
    return owners_[s] == owner(bin) ? s : none;
  }
  /// Returns the bin that owns a slot, or no_bin if the slot is free.
  __device__ index_t bin_of(unsigned slot) const {
    if (owners_[slot] == 0) return no_bin;
    const index_t upper = owners_[slot] - 1;
    return (upper << shift_) + ((slot ^ static_cast<unsigned>(upper)) & (slots_ - 1));
  }

 private:
  /// The slot's owner: 1 + the upper part of the bin. With 8192 slots this covers 45-bit bins.
  template <class Bin>
  __device__ unsigned owner(Bin bin) const {
    return static_cast<unsigned>(bin >> shift_) + 1;
  }
  /// The bin's slot, mixed with the upper part, so that bins a power of two apart do not share a
  /// slot.
  template <class Bin>
  __device__ unsigned slot(Bin bin) const {
    return (static_cast<unsigned>(bin) ^ (owner(bin) - 1)) & (slots_ - 1);
  }

  unsigned* owners_;
  unsigned slots_;
  int shift_;  ///< log2 of slots_, if nonzero
};

/// The counts of a block's hot bins.
struct hot_counts {
  hot_slots slots;

  static constexpr unsigned payload = 1;

  /// Counts a bin if it has a slot; returns false otherwise.
  __device__ bool count(index_t bin) const {
    const unsigned s = slots.find(bin);
    if (s == hot_slots::none) return false;
    atomicAdd(slots.payload(0) + s, 1u);
    return true;
  }
  /// Adds the block's counts to the result.
  __device__ void merge(const histogram_counts& counts) const {
    for (unsigned s = threadIdx.x; s < slots.size(); s += blockDim.x) {
      const unsigned counted = slots.payload(0)[s];
      if (counted != 0) counts.add(slots.bin_of(s), counted);
    }
  }
};

/// A run of adjacent values in the same bin.
struct run_of_bins {
  index_t bin = no_bin;
  unsigned length = 0;

  __device__ bool extend(index_t next) {
    if (next != bin) return false;
    ++length;
    return true;
  }
  __device__ void flush(const histogram_counts& counts) const {
    if (length != 0) counts.add(bin, length);
  }
};

}  // namespace tandem::cuda_impl
