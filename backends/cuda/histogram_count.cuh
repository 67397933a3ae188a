// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram_block.cuh>
#include <tandem/backends/cuda/histogram_launch.cuh>
#include <tandem/backends/cuda/histogram_line.cuh>

/// Counting: bins in shared memory, private to each block, or in global memory where they do not
/// fit.
namespace tandem::cuda_impl {

template <class Rule>
inline constexpr int count_residents = histogram_residents(
    sizeof(typename Rule::value_type), requires(Rule rule) { rule.edges(); });

/// The result: `bins` integers of 4 or 8 bytes.
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
  __device__ void add(index_t bin, unsigned count) const {
    if (bytes == 8) {
      atomicAdd(static_cast<unsigned long long*>(data) + bin, count);
    } else {
      atomicAdd(static_cast<unsigned*>(data) + bin, count);
    }
  }
};

template <class Rule>
struct count_arguments {
  histogram_line<typename Rule::value_type> x;
  Rule rule;
  histogram_counts counts;
  unsigned slice;
  unsigned copies;
  unsigned table_offset;  ///< bytes of shared memory before the edges' table; 0: there is none
  histogram_turns* turns;
};

/// Counts the values whose guesses are in doubt. One after the other: the loop around it, which
/// hardly ever gets here, needs the registers.
template <class Rule, int N>
__device__ __forceinline__ void count_doubtful(const Rule& rule, const block_bins& bins,
                                               const lane_bins& mine,
                                               const typename Rule::value_type (&values)[N]) {
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    auto value = values[0];
    // An index known only now would put the values in local memory.
#pragma unroll
    for (int j = 1; j < N; ++j) value = j == k ? values[j] : value;
    if (rule.guess(value).certain) continue;
    // no_bin becomes a number above all bins.
    const unsigned bin = static_cast<unsigned>(rule.locate(value)) - bins.first;
    if (bin < bins.count) mine.count(bin);
  }
}

/// Counts values in shared memory, those that belong nowhere in a spare bin: cheaper than a branch.
template <class Rule, int N>
__device__ __forceinline__ void count_batch(const Rule& rule, const block_bins& bins,
                                            const lane_bins& mine,
                                            const typename Rule::value_type (&values)[N]) {
  bool doubtful = false;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const auto guess = rule.guess(values[k]);
    const auto bin = guess.bin - bins.first;
    const bool counted = guess.certain && bin < bins.count;
    mine.count(counted ? static_cast<unsigned>(bin) : bins.count);
    doubtful |= !guess.certain;
  }
  // Of 10^4 values in 150 bins, two lie that close to an edge.
  if (doubtful) count_doubtful(rule, bins, mine, values);
}

/// Adds a block's bins to the result; one block alone just stores them.
__device__ inline void merge_counts(const histogram_counts& counts, const block_bins& bins,
                                    const unsigned* words) {
  for (unsigned bin = threadIdx.x; bin < bins.count; bin += blockDim.x) {
    unsigned total = 0;
    for (unsigned step = 0; step < bins.copies; ++step)
      total += words[bins.word(bin, bins.turn(bin, step))];
    if (gridDim.x == 1) {
      counts.store(bins.first + bin, total);
    } else if (total != 0) {
      counts.add(bins.first + bin, total);
    }
  }
}

/// One launch: the first block to arrive clears the result while the others count, all add to it,
/// the last to leave resets the counters. Row y of blocks counts slice y of the bins.
template <class Rule>
__global__ void __maxnreg__(histogram_registers(count_residents<Rule>))
    count_kernel(const __grid_constant__ count_arguments<Rule> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const words = reinterpret_cast<unsigned*>(memory);
  const auto all = static_cast<unsigned>(a.rule.bins());
  const block_bins bins = make_block_bins(all, a.slice, a.copies);
  for (unsigned w = threadIdx.x; w < bins.words(); w += blockDim.x) words[w] = 0;
  const auto& rule = stage_rule(a.rule, a.table_offset == 0 ? nullptr : memory + a.table_offset);
  if (gridDim.x > 1 && arrives_first(*a.turns)) {
    for (unsigned bin = threadIdx.x; bin < all; bin += blockDim.x) a.counts.store(bin, 0);
    announce_cleared(*a.turns);
  }
  __syncthreads();

  const lane_bins mine(bins, words);
  for_each_batch(a.x, [&](const auto& values) { count_batch(rule, bins, mine, values); });
  __syncthreads();

  if (gridDim.x > 1) wait_until_cleared(*a.turns);
  merge_counts(a.counts, bins, words);
  if (gridDim.x > 1) leave(*a.turns);
}

/// Counts straight into the result, which is zero.
template <class Rule>
__global__ void __launch_bounds__(histograms.block)
    count_global_kernel(const __grid_constant__ count_arguments<Rule> a) {
  for_each_batch(a.x, [&](const auto& values) {
#pragma unroll
    for (const auto value : values) {
      const index_t bin = find_bin(a.rule, value);
      if (bin != no_bin) a.counts.add(bin, 1);
    }
  });
}

}  // namespace tandem::cuda_impl
