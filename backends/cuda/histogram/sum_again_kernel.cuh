// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/explicit_edge_table.cuh>
#include <tandem/backends/cuda/histogram/input.cuh>
#include <tandem/backends/cuda/histogram/partial_sums.cuh>
#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/histogram/uniform_edge_table.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/contract/histogram_bins.hpp>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <cstdint>

/// Sums the bins of a weighted histogram that need scales for themselves.
namespace tandem::cuda_impl {

/// The rule itself, or the one that finds the same bins without tables in shared memory.
template <class Rule>
Rule rule_without_table(const Rule& rule) {
  return rule;
}
template <class T>
uniform_bin_rule<T> rule_without_table(const uniform_table_rule<T>& rule) {
  return rule.rule;
}
template <class T>
edge_bin_rule<T> rule_without_table(const explicit_table_rule<T>& rule) {
  return {rule.data, rule.count};
}

template <class Rule, class W>
struct sum_again_arguments {
  histogram_input<typename Rule::value_type> x;
  histogram_input<W> weights;
  index_t terms;  ///< of the whole sum
  Rule rule;
  partial_sums sums;
  W* result;
  bool adds;

  /// Returns the bin of element i if it is set aside, or no_bin.
  __device__ index_t bin_of(index_t i) const {
    const index_t bin = i < weights.size ? index_t{find_bin(rule, x[i])} : no_bin;
    return bin != no_bin && __ldcg(sums.flags + bin) == is_set_aside ? bin : no_bin;
  }
};

/// Calls f(chunk) for each of `chunks` and returns when all are completed, or when stop() holds, as
/// it does from then on. Blocks take chunks as they come and wait only for blocks that have taken
/// one, so this works however many are resident. All threads must call it.
template <class Stop, class Function>
__device__ void for_each_chunk(chunk_queue& queue, index_t chunks, const Stop& stop,
                               const Function& f) {
  __shared__ unsigned taken;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0)
      taken = stop() ? static_cast<unsigned>(chunks) : atomicAdd(&queue.taken, 1u);
    __syncthreads();
    const index_t chunk = taken;
    if (chunk >= chunks) break;
    f(chunk);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&queue.completed, 1u);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(&queue.completed, 0u) < chunks && !stop()) __nanosleep(64);
    __threadfence();
  }
  __syncthreads();
}

/// Calls f(i) for the numbers below `count` that a thread has in a chunk. All lanes of a warp do so
/// alike, also with numbers from `count` on.
template <class Function>
__device__ void for_each_in_chunk(index_t chunk, index_t count, const Function& f) {
  const index_t end = tandem::min((chunk + 1) * sum_again_chunk, round_up(count, index_t{32}));
  for (index_t i = chunk * sum_again_chunk + threadIdx.x; i < end; i += blockDim.x) f(i);
}

/// Sums the bins that are set aside: those without a weight that is not small at the scale of all
/// bins get scales for themselves.
template <class Rule, class W>
__global__ void __launch_bounds__(histogram_block)
    sum_again_kernel(const __grid_constant__ sum_again_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  sum_progress& progress = *a.sums.progress;
  const unsigned long long set_aside = __ldcg(&progress.set_aside);
  if (set_aside == 0) return;
  const index_t size = a.weights.size;
  const bool scale_holds = progress.scale_holds();
  const W small = make_scale<W>(progress.largest, a.terms).small_limit();
  const auto bin_at = [&](index_t bin) { return bin_set_aside<W>(a.sums, bin, scale_holds); };
  const auto all_are_taken_back = [&] { return __ldcg(&progress.taken_back) == set_aside; };
  const auto never = [] { return false; };
  const index_t chunks = ceil_div(size, sum_again_chunk);
  // Finds their largest weights. A bin with one that is not small gets the sum that it had. Mostly
  // a few weights show that of all bins, and then the search ends.
  for_each_chunk(progress.queues[0], chunks, all_are_taken_back, [&](index_t chunk) {
    for_each_in_chunk(chunk, size, [&](index_t i) {
      const index_t bin = a.bin_of(i);
      if (bin == no_bin) return;
      const W magnitude = tandem::abs(a.weights[i]);
      if (magnitude < small) {
        bin_at(bin).raise(magnitude);
      } else if (atomicExch(a.sums.flags + bin, 0u) == is_set_aside) {
        store_sum(a.result[bin], bin_at(bin).kept_sum(), a.adds);
        atomicAdd(&progress.taken_back, 1ull);
      }
    });
  });
  if (all_are_taken_back()) return;
  // Adds at the scales of their largest weights. The weights of a warp for the same bin are added
  // as one, since global memory serialises additions.
  for_each_chunk(progress.queues[1], chunks, never, [&](index_t chunk) {
    for_each_in_chunk(chunk, size, [&](index_t i) {
      const index_t bin = a.bin_of(i);
      std::uint64_t parts[fixed_point<W>::limbs] = {};
      if (bin != no_bin)
        fixed_point<W>(bin_at(bin).largest_weight(), a.terms).split(a.weights[i], parts);
      const bool is_one = __all_sync(whole_warp, bin == __shfl_sync(whole_warp, bin, 0));
      if (is_one) {
        for (std::uint64_t& part : parts) {
          for (int distance = warp_threads / 2; distance >= 1; distance /= 2)
            part += __shfl_xor_sync(whole_warp, part, distance);
        }
      }
      if (bin != no_bin && (!is_one || lane_of_warp() == 0)) bin_at(bin).add(parts);
    });
  });
  const auto bins = static_cast<index_t>(a.rule.bins());
  for_each_chunk(progress.queues[2], ceil_div(bins, sum_again_chunk), never, [&](index_t chunk) {
    for_each_in_chunk(chunk, bins, [&](index_t bin) {
      if (bin >= bins || __ldcg(a.sums.flags + bin) != is_set_aside) return;
      const fixed_point<W> scale(bin_at(bin).largest_weight(), a.terms);
      store_sum(a.result[bin], bin_at(bin).sum(scale), a.adds);
    });
  });
}

}  // namespace tandem::cuda_impl
