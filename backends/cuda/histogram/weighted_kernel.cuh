// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/explicit_edge_table.cuh>
#include <tandem/backends/cuda/histogram/global_adder.cuh>
#include <tandem/backends/cuda/histogram/partial_sums.cuh>
#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/histogram/uniform_edge_table.cuh>
#include <tandem/backends/cuda/histogram/weight_adder.cuh>
#include <tandem/backends/cuda/histogram/weighted_input.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <type_traits>

/// Sums weights in fixed point (core/numbers/fixed_point.hpp). The kernels guess the scale from a
/// sample, add integers in any order while searching for the largest weight, add again if that
/// weight implies a different scale, and convert. Bins that need scales for themselves are added
/// once more, which is rare.
namespace tandem::cuda_impl {

template <class Rule, class W>
struct sum_arguments {
  weighted_input<typename Rule::value_type, W> pairs;
  index_t terms;  ///< of the whole sum, which gives the scale
  Rule rule;
  partial_sums sums;
  unsigned slice;  ///< bins per block
  unsigned copies;
  unsigned table_offset;  ///< as in count_arguments
  unsigned slots;         ///< for hot bins, in blocks that add in global memory
  W* result;
  histogram_problem::integer_sums integers;  ///< in place of the result
  unsigned* counter;  ///< counts blocks that have added; zero between kernels
  bool adds;          ///< adds to the result
  bool second_pass;   ///< the second run of a kernel

  /// The magnitude that gives the scale of the result, if it is known, or 0.
  __device__ unsigned long long known_largest() const {
    return integers.limbs == nullptr ? sums.known : 0;
  }
  /// Whether the second run only converts.
  __device__ bool only_converts() const {
    return second_pass && (integers.limbs != nullptr || sums.progress->scale_holds());
  }
};

/// Returns the largest of every thread's magnitude bits. All threads must call it.
__device__ inline unsigned long long largest_of_block(unsigned long long bits) {
  __shared__ unsigned long long block_largest;
  if (threadIdx.x == 0) block_largest = 0;
  __syncthreads();
  for (int distance = 16; distance >= 1; distance /= 2)
    bits = max(bits, __shfl_xor_sync(~0u, bits, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&block_largest, bits);
  __syncthreads();
  const unsigned long long result = block_largest;
  __syncthreads();
  return result;
}

/// Finds the largest of `each` weights per block at evenly spaced positions, including the end, and
/// clears what the next kernels add to.
template <class W>
__global__ void __launch_bounds__(histogram_block)
    sample_weights_kernel(const __grid_constant__ histogram_input<W> weights, index_t each,
                          const __grid_constant__ partial_sums sums) {
  ptx::grid_dependency_wait();
  auto* const words = reinterpret_cast<unsigned long long*>(sums.progress);
  for (index_t w = thread_of_row(); w < sums.cleared; w += threads_of_row()) words[w] = 0;
  constexpr largest_finite<W> reducer;
  const index_t places = tandem::max(weights.size - each, index_t{0});
  const index_t begin = gridDim.x == 1 ? 0 : places / (gridDim.x - 1) * blockIdx.x;
  const index_t end =
      blockIdx.x == gridDim.x - 1 ? weights.size : tandem::min(begin + each, weights.size);
  W mine = 0;
#pragma unroll 8
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x)
    mine = reducer.combine(mine, reducer.lift(weights[i], 0));
  const unsigned long long largest =
      largest_of_block(static_cast<unsigned long long>(__double_as_longlong(mine)));
  if (threadIdx.x == 0) sums.samples[blockIdx.x] = max(largest, sums.known);
}

/// Returns the magnitude that the first or the second pass takes its scale from. All threads must
/// call it.
__device__ inline unsigned long long magnitude_for_scale(const partial_sums& sums, bool second) {
  if (second) return sums.progress->largest;
  const unsigned long long sampled =
      largest_of_block(threadIdx.x < sums.sampling_blocks ? sums.samples[threadIdx.x] : 0);
  if (blockIdx.x + blockIdx.y + threadIdx.x == 0) sums.progress->sampled = sampled;
  return sampled;
}

/// Adds a block's private sums to those in global memory, and what it knows of bins with small
/// weights to the flags.
template <class W>
__device__ inline void merge_sums(const block_sums& block, const fixed_point<W>& scale,
                                  const small_weights& small, const partial_sums& sums,
                                  bool second) {
  constexpr auto limbs = static_cast<unsigned>(fixed_point<W>::limbs);
  unsigned long long* const all = second ? sums.rescaled : sums.limbs;
  const unsigned count = *small.count;
  if (threadIdx.x == 0 && count != 0)
    atomicAdd(sums.progress->small + (second ? 1 : 0), static_cast<unsigned long long>(count));
  for (unsigned bin = threadIdx.x; bin < block.bins.count; bin += blockDim.x) {
    unsigned flags = small.has(bin) ? weight_is_small : 0;
    for (unsigned limb = 0; limb < limbs; ++limb) {
      unsigned long long total = 0;
      for (unsigned step = 0; step < block.bins.copies; ++step) {
        const unsigned at = block.bins.word(bin, block.bins.rotated_copy(bin, step));
        total += (static_cast<unsigned long long>(block.part(2 * limb + 1)[at]) << 32) +
                 block.part(2 * limb)[at];
      }
      if (total != 0) atomicAdd(all + index_t{block.bins.first + bin} * limbs + limb, total);
      if (limb == 0 && flags != 0 && !scale.may_be_small(total, count))
        flags |= weight_is_not_small;
    }
    if (flags != 0) atomicOr(sums.flags + block.bins.first + bin, flags_of_pass(second, flags));
  }
}

/// Returns a bound on the number of small weights of a bin; 0 if it has none or one that is not
/// small.
__device__ inline index_t small_weights_of(const partial_sums& sums, index_t bin, unsigned flags,
                                           index_t terms, bool second) {
  if (sums.small[0] != nullptr) {
    const unsigned counted = __ldcg(sums.small[second ? 1 : 0] + bin);
    return counted < max_counted_small ? index_t{counted} : terms;
  }
  const unsigned known = flags & flags_of_pass(second, weight_is_small | weight_is_not_small);
  if (known != flags_of_pass(second, weight_is_small)) return 0;
  return static_cast<index_t>(__ldcg(sums.progress->small + (second ? 1 : 0)));
}

/// Stores the integers of every `step`-th bin, starting at `first`, and the largest weight.
template <class Rule, class W>
__device__ void store_integers(const sum_arguments<Rule, W>& a, index_t first, index_t step) {
  constexpr index_t limbs = fixed_point<W>::limbs;
  const auto scale = make_scale<W>(a.sums.progress->sampled, a.terms);
  if (first == 0)
    *static_cast<W*>(a.integers.largest) =
        static_cast<W>(sum_progress::magnitude(a.sums.progress->largest));
  for (index_t bin = first; bin < static_cast<index_t>(a.rule.bins()); bin += step) {
    for (index_t limb = 0; limb < limbs; ++limb)
      a.integers.limbs[bin * limbs + limb] = __ldcg(a.sums.limbs + bin * limbs + limb);
    const unsigned flags = __ldcg(a.sums.flags + bin);
    const index_t small = small_weights_of(a.sums, bin, flags, a.pairs.weights.size, false);
    a.integers.flags[bin] = (flags & (flags_of_no_integer | weight_is_not_small)) |
                            (small > 0 ? weight_is_small : weight_is_finite) |
                            not_small_flag(scale, a.integers.limbs[bin * limbs], small);
  }
}

/// Converts the sum of every `step`-th bin, starting at `first`, and stores it in the result or
/// adds it, or sets the bin aside.
template <class Rule, class W>
__device__ void finish_sums(const sum_arguments<Rule, W>& a, index_t first, index_t step) {
  if (a.integers.limbs != nullptr) return store_integers(a, first, step);
  constexpr auto limbs = fixed_point<W>::limbs;
  const auto scale = make_scale<W>(a.sums.progress->largest, a.terms);
  const bool scale_holds = a.sums.progress->scale_holds();
  const unsigned long long* const all = scale_holds ? a.sums.limbs : a.sums.rescaled;
  for (index_t bin = first; bin < static_cast<index_t>(a.rule.bins()); bin += step) {
    std::uint64_t parts[limbs];
    for (std::size_t limb = 0; limb < limbs; ++limb)
      parts[limb] = __ldcg(all + bin * index_t{limbs} + index_t(limb));
    const unsigned flags = __ldcg(a.sums.flags + bin);
    const unsigned no_integer = flags & flags_of_no_integer;
    const bool is_finite = no_integer == weight_is_finite;
    const W sum = is_finite ? scale.join(parts) : sum_of_flags<W>(no_integer);
    const index_t small =
        is_finite ? small_weights_of(a.sums, bin, flags, a.terms, !scale_holds) : 0;
    if (small > 0 && scale.may_be_small(parts[0], small)) {
      bin_set_aside<W>(a.sums, bin, scale_holds).start(sum);
      a.sums.flags[bin] = is_set_aside;
      atomicAdd(&a.sums.progress->set_aside, 1ull);
    } else {
      store_sum(a.result[bin], sum, a.adds);
    }
  }
}

/// Whether this block is the last of the grid to call it. All threads must call it.
__device__ inline bool all_have_added(unsigned* counter) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  const unsigned blocks = gridDim.x * gridDim.y;
  if (threadIdx.x == 0) last = atomicInc(counter, blocks - 1) == blocks - 1;
  __syncthreads();
  return last;
}

/// Merges the largest weight that each thread's adder has seen, and a known one, into that of all.
template <class Adder>
__device__ inline void merge_largest(const Adder& add, unsigned long long* largest,
                                     unsigned long long known) {
  double mine = add.largest;
  if constexpr (sizeof(add.largest) == 4)
    mine = tandem::max(add.largest, __uint_as_float(add.fast_largest));
  const unsigned long long found =
      max(known, largest_of_block(static_cast<unsigned long long>(__double_as_longlong(mine))));
  if (threadIdx.x == 0 && found != 0) atomicMax(largest, found);
}

/// Sums weights. Row y of blocks has slice y of the bins in shared memory.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.only_converts()) {
    if (blockIdx.y == 0) finish_sums(a, thread_of_row(), threads_of_row());
    return;
  }
  const auto all = static_cast<unsigned>(a.rule.bins());
  const block_bins bins = make_block_bins(all, a.slice, a.copies);
  const block_sums block{bins, reinterpret_cast<unsigned*>(memory)};
  constexpr auto parts = static_cast<unsigned>(2 * fixed_point<W>::limbs);
  for (unsigned w = threadIdx.x; w < parts * bins.words(); w += blockDim.x) block.words[w] = 0;
  __shared__ unsigned small_bits[max_sum_bins / 32];
  __shared__ unsigned small_count;
  for (unsigned w = threadIdx.x; w <= bins.count / 32; w += blockDim.x) small_bits[w] = 0;
  if (threadIdx.x == 0) small_count = 0;
  const small_weights small{small_bits, &small_count};
  const auto scale = make_scale<W>(magnitude_for_scale(a.sums, a.second_pass), a.terms);
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();

  weight_adder<std::remove_cvref_t<decltype(rule)>, W> add = {.rule = rule,
                                                              .scale = scale,
                                                              .block = block,
                                                              .small = small,
                                                              .flags = a.sums.flags,
                                                              .count = bins.count,
                                                              .fast = a.terms > min_fast_size};
  for_each_pairs(a.pairs, [&](const auto& values, const auto& weights) { add(values, weights); });
  if (!a.second_pass) merge_largest(add, &a.sums.progress->largest, a.known_largest());
  __syncthreads();
  merge_sums(block, scale, small, a.sums, a.second_pass);
  if (a.second_pass && all_have_added(a.counter)) finish_sums(a, threadIdx.x, blockDim.x);
}

/// Sums weights in global memory, except for hot bins. The number of groups of pairs is a multiple
/// of the warp size.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_global_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.only_converts()) {
    finish_sums(a, thread_of_row(), threads_of_row());
    return;
  }
  const hot_sums<W> hot{hot_slots(reinterpret_cast<unsigned*>(memory), a.slots)};
  if (a.slots != 0) hot.slots.choose(a.rule, a.pairs.x, hot_sums<W>::payload);
  unsigned long long* const limbs = a.second_pass ? a.sums.rescaled : a.sums.limbs;
  global_adder<Rule, W> add = {
      .rule = a.rule,
      .scale = make_scale<W>(magnitude_for_scale(a.sums, a.second_pass), a.terms),
      .hot = hot,
      .limbs = limbs,
      .flags = a.sums.flags,
      .small = a.sums.small[a.second_pass ? 1 : 0],
      .fast = a.terms > min_fast_size};
  for_each_group(a.pairs,
                 [&](const auto& values, const auto& weights) { add.add_group(values, weights); });
  for_each_single_pair(
      a.pairs, [&](const auto& values, const auto& weights) { add.add_pairs(values, weights); });
  if (!a.second_pass) merge_largest(add, &a.sums.progress->largest, a.known_largest());
  __syncthreads();
  hot.merge(limbs);
  if (a.second_pass && all_have_added(a.counter)) finish_sums(a, threadIdx.x, blockDim.x);
}

}  // namespace tandem::cuda_impl
