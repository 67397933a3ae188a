// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram_block.cuh>
#include <tandem/backends/cuda/histogram_launch.cuh>
#include <tandem/backends/cuda/histogram_line.cuh>
#include <tandem/core/histogram_sums.hpp>

/// Sums of weights in fixed point (core/histogram_sums.hpp): find the scale, add integers in any
/// order, convert.
namespace tandem::cuda_impl {

/// What the three kernels pass on, in the stream's scratch. All zero at first.
struct partial_sums {
  unsigned long long*
      largest;  ///< bits of the largest finite |w| as a double, which order as the values do
  unsigned long long* limbs;  ///< those of a bin side by side
  unsigned* flags;
};

template <class Rule, class W>
struct sum_arguments {
  histogram_line<typename Rule::value_type> x;
  histogram_line<W> weights;
  Rule rule;
  partial_sums sums;
  unsigned slice;  ///< bins of a block in shared memory; 0: they are all in global memory
  unsigned copies;
  unsigned table_offset;  ///< as in count_arguments
};

template <class W>
__device__ inline fixed_point<W> make_scale(const partial_sums& sums, index_t terms) {
  return fixed_point<W>(static_cast<W>(__longlong_as_double(static_cast<long long>(*sums.largest))),
                        terms);
}

/// *largest = max(*largest, the largest finite |w|). Exact in any order.
template <class W>
__global__ void __launch_bounds__(histograms.block)
    largest_weight_kernel(const __grid_constant__ histogram_line<W> weights,
                          unsigned long long* largest) {
  __shared__ unsigned long long block_largest;
  if (threadIdx.x == 0) block_largest = 0;
  __syncthreads();
  constexpr largest_finite<W> reducer;
  W mine = 0;
  for_each_batch(weights, [&](const auto& values) {
    for (const W w : values) mine = reducer.combine(mine, reducer.lift(w, 0));
  });
  auto bits = static_cast<unsigned long long>(__double_as_longlong(mine));
  for (int distance = 16; distance >= 1; distance /= 2)
    bits = max(bits, __shfl_xor_sync(~0u, bits, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&block_largest, bits);
  __syncthreads();
  if (threadIdx.x == 0 && block_largest != 0) atomicMax(largest, block_largest);
}

/// Adds 64 bits to two words of shared memory, which has no such atomic: whoever makes the low word
/// wrap around carries.
__device__ inline void add_64(unsigned* low, unsigned* high, std::uint64_t value) {
  const auto addend = static_cast<unsigned>(value);
  const unsigned before = atomicAdd(low, addend);
  const unsigned upper = static_cast<unsigned>(value >> 32) + (before + addend < before ? 1u : 0u);
  if (upper != 0) atomicAdd(high, upper);
}

/// The private sums of a block: 2 words a limb, each an array over bins and copies.
struct block_sums {
  block_bins bins;
  unsigned* words;

  __device__ unsigned* part(unsigned number) const { return words + number * bins.words(); }
};

/// Adds one finite weight to bin `bin` of all.
template <class W>
__device__ inline void add_weight(const partial_sums& sums, const block_sums& block,
                                  const fixed_point<W>& scale, index_t bin, W w) {
  std::uint64_t parts[fixed_point<W>::limbs];
  scale.split(w, parts);
#pragma unroll
  for (unsigned limb = 0; limb < fixed_point<W>::limbs; ++limb) {
    if (block.bins.copies == 0) {
      atomicAdd(sums.limbs + bin * index_t{fixed_point<W>::limbs} + limb,
                static_cast<unsigned long long>(parts[limb]));
    } else {
      const unsigned copy = threadIdx.x & (block.bins.copies - 1);
      const unsigned at = block.bins.word(static_cast<unsigned>(bin) - block.bins.first, copy);
      add_64(block.part(2 * limb) + at, block.part(2 * limb + 1) + at, parts[limb]);
    }
  }
}

/// Adds a block's private sums to those in global memory.
template <class W>
__device__ inline void merge_sums(const partial_sums& sums, const block_sums& block) {
  constexpr auto limbs = static_cast<unsigned>(fixed_point<W>::limbs);
  for (unsigned bin = threadIdx.x; bin < block.bins.count; bin += blockDim.x) {
    for (unsigned limb = 0; limb < limbs; ++limb) {
      unsigned long long total = 0;
      for (unsigned step = 0; step < block.bins.copies; ++step) {
        const unsigned at = block.bins.word(bin, block.bins.turn(bin, step));
        total += (static_cast<unsigned long long>(block.part(2 * limb + 1)[at]) << 32) +
                 block.part(2 * limb)[at];
      }
      if (total != 0) atomicAdd(sums.limbs + index_t{block.bins.first + bin} * limbs + limb, total);
    }
  }
}

/// Row y of blocks sums slice y of the bins; with slice 0 there is one row, and bins are in global
/// memory.
template <class Rule, class W>
__global__ void __launch_bounds__(histograms.block)
    sum_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto all = static_cast<index_t>(a.rule.bins());
  const block_bins bins = a.slice == 0
                              ? block_bins{0, 0, 0}
                              : make_block_bins(static_cast<unsigned>(all), a.slice, a.copies);
  const block_sums block{bins, reinterpret_cast<unsigned*>(memory)};
  constexpr auto parts = static_cast<unsigned>(2 * fixed_point<W>::limbs);
  for (unsigned w = threadIdx.x; w < parts * bins.words(); w += blockDim.x) block.words[w] = 0;
  const auto& rule = stage_rule(a.rule, a.table_offset == 0 ? nullptr : memory + a.table_offset);
  __syncthreads();

  const auto scale = make_scale<W>(a.sums, a.weights.size);
  const index_t first = a.slice == 0 ? 0 : bins.first;
  const index_t count = a.slice == 0 ? all : bins.count;
  for_each_pair(a.x, a.weights, [&](auto value, W w) {
    const index_t bin = find_bin(rule, value);
    if (bin < first || bin - first >= count) return;
    const unsigned flag = classify_weight(w);
    if (flag == weight_is_finite) {
      add_weight(a.sums, block, scale, bin, w);
    } else {
      atomicOr(a.sums.flags + bin, flag);
    }
  });
  __syncthreads();
  merge_sums<W>(a.sums, block);
}

/// result[b] = the sum of bin b.
template <class W>
__global__ void finish_sums_kernel(partial_sums sums, index_t bins, index_t terms, W* result) {
  constexpr auto limbs = fixed_point<W>::limbs;
  const auto scale = make_scale<W>(sums, terms);
  for (index_t bin = thread_of_row(); bin < bins; bin += threads_of_row()) {
    std::uint64_t parts[limbs];
    for (std::size_t limb = 0; limb < limbs; ++limb)
      parts[limb] = sums.limbs[bin * index_t{limbs} + index_t(limb)];
    const unsigned flags = sums.flags[bin];
    result[bin] = flags == weight_is_finite ? scale.join(parts) : sum_of_flags<W>(flags);
  }
}

}  // namespace tandem::cuda_impl
