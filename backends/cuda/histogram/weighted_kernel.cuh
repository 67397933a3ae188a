// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/explicit_edge_table.cuh>
#include <tandem/backends/cuda/histogram/global_adder.cuh>
#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/histogram/uniform_edge_table.cuh>
#include <tandem/backends/cuda/histogram/weight_adder.cuh>
#include <tandem/backends/cuda/histogram/weighted_input.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <type_traits>

/// Sums weights in fixed point (core/numbers/fixed_point.hpp). The kernels guess the scale from a
/// sample, add integers in any order while searching for the largest weight, add again if that
/// weight implies a different scale, and convert. Bins that need scales for themselves are added
/// once more, which is rare.
namespace tandem::cuda_impl {

/// Chunks of a phase: how many blocks have taken and how many they have completed.
struct chunk_queue {
  unsigned taken;
  unsigned completed;
};

/// What the kernels of a sum know of all bins. Magnitudes of weights are bits of doubles, which are
/// ordered as their values.
struct sum_progress {
  unsigned long long sampled;     ///< largest finite |w| of a sample
  unsigned long long largest;     ///< largest of all weights with bins
  unsigned long long small[2];    ///< small weights with bins in shared memory, by pass
  unsigned long long set_aside;   ///< bins that finish_sums() has set aside
  unsigned long long taken_back;  ///< those of them with a weight that is not small
  chunk_queue queues[3];

  /// Whether the sample gave the correct scale, which depends only on the exponent.
  __device__ bool scale_holds() const {
    return fixed_point<double>::exponent_of(magnitude(sampled)) ==
           fixed_point<double>::exponent_of(magnitude(largest));
  }
  static __device__ double magnitude(unsigned long long bits) {
    return __longlong_as_double(static_cast<long long>(bits));
  }
};

/// Data that the kernels pass on through the stream's scratch memory. The first kernel clears all of
/// it but the samples.
struct partial_sums {
  unsigned long long* samples;  ///< largest finite |w| that each of its blocks has seen
  unsigned sampling_blocks;
  sum_progress* progress;
  unsigned long long* limbs;     ///< at the sample's scale; those of a bin are adjacent
  unsigned long long* rescaled;  ///< at the correct scale, if it differs
  unsigned* flags;
  unsigned* small[2];  ///< counts of small weights by pass, for bins in global memory
  index_t cleared;     ///< 64-bit words to clear, from *progress on
};

/// The flags of a bin in the second pass, made from those that it would have in the first.
__device__ constexpr unsigned flags_of_pass(bool second, unsigned flags) {
  return second ? flags << 2 : flags;
}
/// The flags of a bin that is set aside.
inline constexpr unsigned is_set_aside = weight_is_not_small << 3;

/// A bin that is set aside, because all of its weights may be small. Its sum is formed anew in the
/// limbs that held the correct one; what else is known of it takes the place of the other limbs.
template <class W>
struct bin_set_aside {
  using word = std::conditional_t<sizeof(W) == 4, unsigned, unsigned long long>;
  static constexpr std::size_t limb_count = fixed_point<W>::limbs;

  unsigned long long* limbs;
  word* largest;  ///< bits of the largest |w|
  word* kept;     ///< bits of the sum at the scale of all bins

  __device__ bin_set_aside(const partial_sums& sums, index_t bin, bool scale_holds) {
    constexpr index_t count = fixed_point<W>::limbs;
    static_assert(count * sizeof *limbs == 2 * sizeof(W));
    limbs = (scale_holds ? sums.limbs : sums.rescaled) + bin * count;
    largest = reinterpret_cast<word*>((scale_holds ? sums.rescaled : sums.limbs) + bin * count);
    kept = largest + 1;
  }

  static __device__ word bits(W w) { return __builtin_bit_cast(word, w); }
  __device__ W largest_weight() const { return __builtin_bit_cast(W, __ldcg(largest)); }
  __device__ W kept_sum() const { return __builtin_bit_cast(W, __ldcg(kept)); }

  /// Sets the bin aside, whose sum is `sum` so far.
  __device__ void start(W sum) const {
    *largest = 0;
    *kept = bits(sum);
    for (std::size_t limb = 0; limb < limb_count; ++limb) limbs[limb] = 0;
  }
  /// Raises the largest weight to a magnitude.
  __device__ void raise(W magnitude) const {
    if (__ldcg(largest) < bits(magnitude)) atomicMax(largest, bits(magnitude));
  }
  __device__ void add(const std::uint64_t (&parts)[limb_count]) const {
    for (std::size_t limb = 0; limb < limb_count; ++limb)
      ptx::add_global(limbs + limb, parts[limb]);
  }
  __device__ W sum(const fixed_point<W>& scale) const {
    std::uint64_t parts[limb_count];
    for (std::size_t limb = 0; limb < limb_count; ++limb) parts[limb] = __ldcg(limbs + limb);
    return scale.join(parts);
  }
};

template <class Rule, class W>
struct sum_arguments {
  weighted_input<typename Rule::value_type, W> pairs;
  Rule rule;
  partial_sums sums;
  unsigned slice;  ///< bins per block
  unsigned copies;
  unsigned table_offset;  ///< as in count_arguments
  unsigned slots;         ///< for hot bins, in blocks that add in global memory
  W* result;
  unsigned* counter;  ///< counts blocks that have added; zero between kernels
  bool adds;          ///< adds to the result
  bool second_pass;   ///< the second run of a kernel
};

template <class W>
__device__ inline fixed_point<W> make_scale(unsigned long long largest, index_t terms) {
  return fixed_point<W>(static_cast<W>(sum_progress::magnitude(largest)), terms);
}

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
  if (threadIdx.x == 0) sums.samples[blockIdx.x] = largest;
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

/// Returns a number that the small weights of a bin do not exceed; 0 if the bin has none or one that
/// is not small.
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

/// Converts the sum of every `step`-th bin, starting at `first`, and stores it in the result or
/// adds it, or sets the bin aside.
template <class Rule, class W>
__device__ void finish_sums(const sum_arguments<Rule, W>& a, index_t first, index_t step) {
  constexpr auto limbs = fixed_point<W>::limbs;
  const index_t terms = a.pairs.weights.size;
  const auto scale = make_scale<W>(a.sums.progress->largest, terms);
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
    const index_t small = is_finite ? small_weights_of(a.sums, bin, flags, terms, !scale_holds) : 0;
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

/// Merges the largest weight that each thread's adder has seen into that of all.
template <class Adder>
__device__ inline void merge_largest(const Adder& add, unsigned long long* largest) {
  double mine = add.largest;
  if constexpr (sizeof(add.largest) == 4)
    mine = tandem::max(add.largest, __uint_as_float(add.fast_largest));
  const unsigned long long found =
      largest_of_block(static_cast<unsigned long long>(__double_as_longlong(mine)));
  if (threadIdx.x == 0 && found != 0) atomicMax(largest, found);
}

/// Sums weights. Row y of blocks has slice y of the bins in shared memory.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.second_pass && a.sums.progress->scale_holds()) {
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
  const auto scale =
      make_scale<W>(magnitude_for_scale(a.sums, a.second_pass), a.pairs.weights.size);
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();

  weight_adder<std::remove_cvref_t<decltype(rule)>, W> add = {
      .rule = rule,
      .scale = scale,
      .block = block,
      .small = small,
      .flags = a.sums.flags,
      .count = bins.count,
      .fast = a.pairs.weights.size > min_fast_size};
  for_each_pairs(a.pairs, [&](const auto& values, const auto& weights) { add(values, weights); });
  if (!a.second_pass) merge_largest(add, &a.sums.progress->largest);
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
  if (a.second_pass && a.sums.progress->scale_holds()) {
    finish_sums(a, thread_of_row(), threads_of_row());
    return;
  }
  const hot_sums<W> hot{hot_slots(reinterpret_cast<unsigned*>(memory), a.slots)};
  if (a.slots != 0) hot.slots.choose(a.rule, a.pairs.x, hot_sums<W>::payload);
  unsigned long long* const limbs = a.second_pass ? a.sums.rescaled : a.sums.limbs;
  global_adder<Rule, W> add = {
      .rule = a.rule,
      .scale = make_scale<W>(magnitude_for_scale(a.sums, a.second_pass), a.pairs.weights.size),
      .hot = hot,
      .limbs = limbs,
      .flags = a.sums.flags,
      .small = a.sums.small[a.second_pass ? 1 : 0],
      .fast = a.pairs.weights.size > min_fast_size};
  for_each_group(a.pairs,
                 [&](const auto& values, const auto& weights) { add.add_group(values, weights); });
  for_each_single_pair(
      a.pairs, [&](const auto& values, const auto& weights) { add.add_pairs(values, weights); });
  if (!a.second_pass) merge_largest(add, &a.sums.progress->largest);
  __syncthreads();
  hot.merge(limbs);
  if (a.second_pass && all_have_added(a.counter)) finish_sums(a, threadIdx.x, blockDim.x);
}

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

/// Calls f(i) for the numbers below `count` that a thread has in a chunk. All lanes of a warp call it
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
  const index_t terms = a.weights.size;
  const bool scale_holds = progress.scale_holds();
  const W small = make_scale<W>(progress.largest, terms).small_limit();
  const auto bin_at = [&](index_t bin) { return bin_set_aside<W>(a.sums, bin, scale_holds); };
  const auto all_are_taken_back = [&] { return __ldcg(&progress.taken_back) == set_aside; };
  const auto never = [] { return false; };
  const index_t chunks = ceil_div(terms, sum_again_chunk);
  // Finds their largest weights. A bin with one that is not small gets the sum that it had. Mostly a
  // few weights show that of all bins, and then the search ends.
  for_each_chunk(progress.queues[0], chunks, all_are_taken_back, [&](index_t chunk) {
    for_each_in_chunk(chunk, terms, [&](index_t i) {
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
  // Adds at the scales of their largest weights. The weights of a warp for the same bin are added as
  // one, since global memory serialises additions.
  for_each_chunk(progress.queues[1], chunks, never, [&](index_t chunk) {
    for_each_in_chunk(chunk, terms, [&](index_t i) {
      const index_t bin = a.bin_of(i);
      std::uint64_t parts[fixed_point<W>::limbs] = {};
      if (bin != no_bin)
        fixed_point<W>(bin_at(bin).largest_weight(), terms).split(a.weights[i], parts);
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
      const fixed_point<W> scale(bin_at(bin).largest_weight(), terms);
      store_sum(a.result[bin], bin_at(bin).sum(scale), a.adds);
    });
  });
}

}  // namespace tandem::cuda_impl
