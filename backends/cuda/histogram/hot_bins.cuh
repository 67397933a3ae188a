// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/input.cuh>
#include <tandem/backends/cuda/histogram/output.cuh>

#include <cstdint>

/// Counting in global memory without contention for the bins that many values fall into.
namespace tandem::cuda_impl {

/// The bins that a block counts in shared memory, chosen from a sample before it starts to count. A
/// slot belongs to the first of its bins in the sample, so that a bin with a large share of all
/// values almost surely has its slot in nearly all blocks.
class hot_bins {
 public:
  /// @param words  2 * slots of shared memory; slots is 0 or a power of two
  __device__ hot_bins(unsigned* words, unsigned slots)
      : owners_(words), counts_(words + slots), slots_(slots) {}

  /// Assigns slots to the bins of a sample: neighbouring values at a random place per thread.
  template <class Rule>
  __device__ void choose(const Rule& rule,
                         const histogram_input<typename Rule::value_type>& x) const {
    for (unsigned s = threadIdx.x; s < slots_; s += blockDim.x) owners_[s] = counts_[s] = 0;
    __syncthreads();
    constexpr int neighbours = 4;
    const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
    const std::uint64_t random = number * 0x9e3779b97f4a7c15u >> 16;  // the golden ratio's fraction
    const auto first = static_cast<index_t>(random % static_cast<std::uint64_t>(x.size));
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
      const index_t bin = find_bin(rule, x[min(first + k, x.size - 1)]);
      if (bin != no_bin) atomicCAS(owners_ + slot(bin), 0u, owner(bin));
    }
    __syncthreads();
  }

  /// Counts a bin that has a slot; returns false for any other.
  __device__ bool count(index_t bin) const {
    if (slots_ == 0) return false;
    const unsigned s = slot(bin);
    if (owners_[s] != owner(bin)) return false;
    atomicAdd(counts_ + s, 1u);
    return true;
  }

  /// Adds the block's counts to the result.
  __device__ void merge(const histogram_counts& counts) const {
    for (unsigned s = threadIdx.x; s < slots_; s += blockDim.x) {
      if (counts_[s] == 0) continue;
      const index_t upper = owners_[s] - 1;
      counts.add(upper * slots_ + ((s ^ static_cast<unsigned>(upper)) & (slots_ - 1)), counts_[s]);
    }
  }

 private:
  /// The slot's owner: 1 + the upper part of the bin, which is 45 bits of bins with 8192 slots.
  __device__ unsigned owner(index_t bin) const { return static_cast<unsigned>(bin / slots_) + 1; }
  /// The bin's slot, mixed with the upper part, so that bins a power of two apart share no slot.
  __device__ unsigned slot(index_t bin) const {
    return (static_cast<unsigned>(bin) ^ (owner(bin) - 1)) & (slots_ - 1);
  }

  unsigned* owners_;
  unsigned* counts_;
  unsigned slots_;
};

/// A run of neighbouring values in the same bin.
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
