// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/explicit_edge_table.cuh>
#include <tandem/backends/cuda/histogram/hot_bins.cuh>
#include <tandem/backends/cuda/histogram/input.cuh>
#include <tandem/backends/cuda/histogram/output.cuh>
#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/histogram/uniform_edge_table.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

/// Counting kernels. The bins are in shared memory, private to each block, or in global memory if
/// they do not fit.
namespace tandem::cuda_impl {

template <class Rule>
struct count_arguments {
  histogram_input<typename Rule::value_type> x;
  Rule rule;
  histogram_counts counts;
  unsigned slice;
  unsigned copies;
  unsigned table_offset;  ///< bytes of shared memory before the edge table
  unsigned slots;         ///< for hot bins, in blocks that count in global memory
  arrival_counters* arrivals;
};

/// Counts the values whose guesses are uncertain, one by one. This path is rarely taken, and the
/// surrounding loop needs the registers.
template <class Rule, int N>
__device__ __forceinline__ void count_uncertain(const Rule& rule, const block_bins& bins,
                                                const lane_bins& mine,
                                                const typename Rule::value_type (&values)[N]) {
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    auto value = values[0];
    // A dynamic index would move the values to local memory.
#pragma unroll
    for (int j = 1; j < N; ++j) value = j == k ? values[j] : value;
    if (rule.guess(value).certain) continue;
    // no_bin becomes a number above all bins.
    const unsigned bin = static_cast<unsigned>(rule.locate(value)) - bins.first;
    if (bin < bins.count) mine.count(bin);
  }
}

/// Counts values in shared memory. Values outside the block's bins are counted in the spare bin,
/// which is cheaper than a branch.
template <class Rule, int N>
__device__ __forceinline__ void count_batch(const Rule& rule, const block_bins& bins,
                                            const lane_bins& mine,
                                            const typename Rule::value_type (&values)[N]) {
  bool uncertain = false;
  constexpr int group = N < 4 ? N : 4;  // table lookups issued before the first of their counts
#pragma unroll
  for (int first = 0; first < N; first += group) {
    unsigned slots[group];
#pragma unroll
    for (int k = 0; k < group; ++k) {
      const auto guess = rule.guess(values[first + k]);
      const auto bin = guess.bin - bins.first;
      const bool counted = guess.certain && bin < bins.count;
      slots[k] = counted ? static_cast<unsigned>(bin) : bins.count;
      uncertain |= !guess.certain;
    }
#pragma unroll
    for (const unsigned slot : slots) mine.count(slot);
  }
  // Rare: only for values very close to an edge.
  if (uncertain) count_uncertain(rule, bins, mine, values);
}

/// Adds a block's bins to the result; if there is a single block, stores them.
__device__ inline void merge_counts(const histogram_counts& counts, const block_bins& bins,
                                    const unsigned* words) {
  for (unsigned bin = threadIdx.x; bin < bins.count; bin += blockDim.x) {
    unsigned total = 0;
#pragma unroll 8
    for (unsigned step = 0; step < bins.copies; ++step)
      total += words[bins.word(bin, bins.rotated_copy(bin, step))];
    if (gridDim.x == 1) {
      counts.store(bins.first + bin, total);
    } else if (total != 0) {
      counts.add(bins.first + bin, total);
    }
  }
}

/// Vectors in flight per counting thread. There are fewer if a value may need a search in double
/// precision, which takes the registers.
template <class Rule>
inline constexpr int count_loads = histogram_loads;
template <class T>
inline constexpr int count_loads<uniform_bin_rule<T>> = histogram_loads / 2;

/// Counts in one launch. The first block to arrive clears the result while the others count, all
/// blocks add to it, and the last one to leave resets the counters. Row y of blocks counts slice y
/// of the bins.
template <class Rule>
__global__ void __maxnreg__(histogram_registers)
    count_kernel(const __grid_constant__ count_arguments<Rule> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  // In flight while the block clears its bins: the arrival, which is issued first because the loads
  // would delay it, and the first loads.
  unsigned before = 1;
  if (gridDim.x > 1 && threadIdx.x == 0) before = arrive(*a.arrivals);
  vector_reader<typename Rule::value_type, count_loads<Rule>> reader(a.x);
  auto* const words = reinterpret_cast<unsigned*>(memory);
  const block_bins bins = make_block_bins(static_cast<unsigned>(a.rule.bins()), a.slice, a.copies);
  for (unsigned w = threadIdx.x; w < bins.words(); w += blockDim.x) words[w] = 0;
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();
  if (threadIdx.x < 32 && __shfl_sync(~0u, before, 0) == 0) {
    a.counts.clear(static_cast<unsigned>(a.rule.bins()));
    announce_cleared(*a.arrivals);
  }

  const lane_bins mine(bins, words);
  const auto count = [&](const auto& values) { count_batch(rule, bins, mine, values); };
  reader.for_each(count);
  for_each_scalar(a.x, count);

  if (gridDim.x > 1 && threadIdx.x == 0) wait_until_cleared(*a.arrivals);
  __syncthreads();
  merge_counts(a.counts, bins, words);
  if (gridDim.x > 1) leave(*a.arrivals);
}

/// Counts directly into the result, which has been zeroed. Hot bins are counted separately, because
/// global memory performs far fewer atomic additions per second on one address than on many.
template <class Rule>
__global__ void __maxnreg__(histogram_registers)
    count_global_kernel(const __grid_constant__ count_arguments<Rule> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  const hot_counts hot{hot_slots(reinterpret_cast<unsigned*>(memory), a.slots)};
  if (a.slots != 0) hot.slots.choose(a.rule, a.x, hot_counts::payload);
  for_each_batch(a.x, [&](const auto& values) {
    run_of_bins run;
#pragma unroll
    for (const auto value : values) {
      const index_t bin = find_bin(a.rule, value);
      if (bin == no_bin || hot.count(bin)) continue;
      if (!run.extend(bin)) {
        run.flush(a.counts);
        run = {bin, 1};
      }
    }
    run.flush(a.counts);
  });
  if (a.slots == 0) return;
  __syncthreads();
  hot.merge(a.counts);
}

}  // namespace tandem::cuda_impl
