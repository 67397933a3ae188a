// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/backends/cuda/histogram/explicit_edge_table.cuh>
#include <tandem/backends/cuda/histogram/global_adder.cuh>
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

/// Data that the kernels pass on through the stream's scratch memory, initially zero. Magnitudes of
/// weights are bits of doubles, which are ordered as their values.
struct partial_sums {
  unsigned long long* sampled;    ///< largest finite |w| of a sample
  unsigned long long* largest;    ///< largest of all weights with bins
  unsigned long long* set_aside;  ///< 1 if finish_sums() has set bins aside
  unsigned long long* limbs;      ///< at the sample's scale; those of a bin are adjacent
  unsigned long long* rescaled;   ///< at the correct scale, if it differs
  unsigned* flags;

  /// Whether the sample gave the correct scale, which depends only on the exponent.
  __device__ bool scale_holds() const {
    return fixed_point<double>::exponent_of(magnitude(*sampled)) ==
           fixed_point<double>::exponent_of(magnitude(*largest));
  }
  static __device__ double magnitude(unsigned long long bits) {
    return __longlong_as_double(static_cast<long long>(bits));
  }
};

/// The flag of bins with small weights at the sample's scale, or at the correct one if it differs.
__device__ constexpr unsigned small_flag(bool rescaled) {
  return rescaled ? 2 * weight_is_small : weight_is_small;
}
/// The flags of a bin that is set aside.
inline constexpr unsigned is_set_aside = 4 * weight_is_small;

/// A bin that is set aside, because it may need a scale for itself. Its sum is formed anew in the
/// limbs that held the correct one; what else is known of it takes the place of the other limbs.
template <class W>
struct bin_set_aside {
  using word = std::conditional_t<sizeof(W) == 4, unsigned, unsigned long long>;

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

  /// Sets the bin aside, whose sum is `sum` so far.
  __device__ void start(W sum) const {
    *largest = 0;
    *kept = bits(sum);
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb) limbs[limb] = 0;
  }
  /// Raises the largest weight to a finite one.
  __device__ void raise(W w) const {
    const word found = bits(tandem::abs(w));
    if (__ldcg(largest) < found) atomicMax(largest, found);
  }
  __device__ void add(const fixed_point<W>& scale, W w) const {
    std::uint64_t parts[fixed_point<W>::limbs];
    scale.split(w, parts);
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
      ptx::add_global(limbs + limb, parts[limb]);
  }
  __device__ W sum(const fixed_point<W>& scale) const {
    std::uint64_t parts[fixed_point<W>::limbs];
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
      parts[limb] = __ldcg(limbs + limb);
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
__device__ inline fixed_point<W> make_scale(const unsigned long long* largest, index_t terms) {
  return fixed_point<W>(static_cast<W>(partial_sums::magnitude(*largest)), terms);
}

/// Replaces *largest by its maximum with every thread's `mine`, which is not negative. The order
/// does not matter.
template <class W>
__device__ inline void merge_largest(W mine, unsigned long long* largest) {
  __shared__ unsigned long long block_largest;
  if (threadIdx.x == 0) block_largest = 0;
  __syncthreads();
  auto bits = static_cast<unsigned long long>(__double_as_longlong(mine));
  for (int distance = 16; distance >= 1; distance /= 2)
    bits = max(bits, __shfl_xor_sync(~0u, bits, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&block_largest, bits);
  __syncthreads();
  if (threadIdx.x == 0 && block_largest != 0) atomicMax(largest, block_largest);
}

/// Finds the largest of `each` weights per block at evenly spaced positions, including the end.
template <class W>
__global__ void __launch_bounds__(histogram_block)
    sample_weights_kernel(const __grid_constant__ histogram_input<W> weights, index_t each,
                          unsigned long long* sampled) {
  ptx::grid_dependency_wait();
  constexpr largest_finite<W> reducer;
  const index_t places = tandem::max(weights.size - each, index_t{0});
  const index_t begin = gridDim.x == 1 ? 0 : places / (gridDim.x - 1) * blockIdx.x;
  const index_t end = blockIdx.x == gridDim.x - 1 ? weights.size : begin + each;
  W mine = 0;
#pragma unroll 8
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x)
    mine = reducer.combine(mine, reducer.lift(weights[i], 0));
  merge_largest(mine, sampled);
}

/// Adds a block's private sums to those in global memory, and the bins with small weights to the
/// flags.
template <class W>
__device__ inline void merge_sums(const block_sums& block, unsigned long long* all,
                                  const small_bins& small, unsigned* flags, unsigned flag) {
  constexpr auto limbs = static_cast<unsigned>(fixed_point<W>::limbs);
  for (unsigned bin = threadIdx.x; bin < block.bins.count; bin += blockDim.x) {
    if (small.has(bin)) atomicOr(flags + block.bins.first + bin, flag);
    for (unsigned limb = 0; limb < limbs; ++limb) {
      unsigned long long total = 0;
      for (unsigned step = 0; step < block.bins.copies; ++step) {
        const unsigned at = block.bins.word(bin, block.bins.rotated_copy(bin, step));
        total += (static_cast<unsigned long long>(block.part(2 * limb + 1)[at]) << 32) +
                 block.part(2 * limb)[at];
      }
      if (total != 0) atomicAdd(all + index_t{block.bins.first + bin} * limbs + limb, total);
    }
  }
}

/// Converts the sum of every `step`-th bin, starting at `first`, and stores it in the result or
/// adds it, or sets the bin aside.
template <class Rule, class W>
__device__ void finish_sums(const sum_arguments<Rule, W>& a, index_t first, index_t step) {
  constexpr auto limbs = fixed_point<W>::limbs;
  const auto scale = make_scale<W>(a.sums.largest, a.pairs.weights.size);
  const bool scale_holds = a.sums.scale_holds();
  const unsigned long long* const all = scale_holds ? a.sums.limbs : a.sums.rescaled;
  for (index_t bin = first; bin < static_cast<index_t>(a.rule.bins()); bin += step) {
    std::uint64_t parts[limbs];
    for (std::size_t limb = 0; limb < limbs; ++limb)
      parts[limb] = __ldcg(all + bin * index_t{limbs} + index_t(limb));
    const unsigned flags = __ldcg(a.sums.flags + bin);
    const unsigned no_integer = flags & flags_of_no_integer;
    const W sum = no_integer == weight_is_finite ? scale.join(parts) : sum_of_flags<W>(no_integer);
    if (no_integer == weight_is_finite && (flags & small_flag(!scale_holds)) != 0 &&
        scale.is_coarse(parts[0])) {
      bin_set_aside<W>(a.sums, bin, scale_holds).start(sum);
      a.sums.flags[bin] = is_set_aside;
      *a.sums.set_aside = 1;
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

/// The largest weight that an adder has seen.
template <class Adder>
__device__ inline auto largest_of_adder(const Adder& add) {
  if constexpr (sizeof(add.largest) == 4) {
    return tandem::max(add.largest, __uint_as_float(add.fast_largest));
  } else {
    return add.largest;
  }
}

/// Sums weights. Row y of blocks has slice y of the bins in shared memory.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.second_pass && a.sums.scale_holds()) {
    if (blockIdx.y == 0) finish_sums(a, thread_of_row(), threads_of_row());
    return;
  }
  const auto all = static_cast<unsigned>(a.rule.bins());
  const block_bins bins = make_block_bins(all, a.slice, a.copies);
  const block_sums block{bins, reinterpret_cast<unsigned*>(memory)};
  constexpr auto parts = static_cast<unsigned>(2 * fixed_point<W>::limbs);
  for (unsigned w = threadIdx.x; w < parts * bins.words(); w += blockDim.x) block.words[w] = 0;
  __shared__ unsigned small_bits[max_sum_bins / 32];
  for (unsigned w = threadIdx.x; w <= bins.count / 32; w += blockDim.x) small_bits[w] = 0;
  const small_bins small{small_bits};
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();

  weight_adder<std::remove_cvref_t<decltype(rule)>, W> add = {
      .rule = rule,
      .scale = make_scale<W>(a.second_pass ? a.sums.largest : a.sums.sampled, a.pairs.weights.size),
      .block = block,
      .small = small,
      .flags = a.sums.flags,
      .count = bins.count,
      .fast = a.pairs.weights.size > min_fast_size};
  for_each_pairs(a.pairs, [&](const auto& values, const auto& weights) { add(values, weights); });
  if (!a.second_pass) merge_largest(largest_of_adder(add), a.sums.largest);
  __syncthreads();
  merge_sums<W>(block, a.second_pass ? a.sums.rescaled : a.sums.limbs, small, a.sums.flags,
                small_flag(a.second_pass));
  if (a.second_pass && all_have_added(a.counter)) finish_sums(a, threadIdx.x, blockDim.x);
}

/// Sums weights in global memory, except for hot bins. The number of groups of pairs is a multiple
/// of the warp size.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_global_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.second_pass && a.sums.scale_holds()) {
    finish_sums(a, thread_of_row(), threads_of_row());
    return;
  }
  const hot_sums<W> hot{hot_slots(reinterpret_cast<unsigned*>(memory), a.slots)};
  if (a.slots != 0) hot.slots.choose(a.rule, a.pairs.x, hot_sums<W>::payload);
  unsigned long long* const limbs = a.second_pass ? a.sums.rescaled : a.sums.limbs;
  global_adder<Rule, W> add = {
      .rule = a.rule,
      .scale = make_scale<W>(a.second_pass ? a.sums.largest : a.sums.sampled, a.pairs.weights.size),
      .hot = hot,
      .limbs = limbs,
      .flags = a.sums.flags,
      .small_flag = small_flag(a.second_pass),
      .fast = a.pairs.weights.size > min_fast_size};
  for_each_group(a.pairs,
                 [&](const auto& values, const auto& weights) { add.add_group(values, weights); });
  for_each_single_pair(
      a.pairs, [&](const auto& values, const auto& weights) { add.add_pairs(values, weights); });
  if (!a.second_pass) merge_largest(largest_of_adder(add), a.sums.largest);
  __syncthreads();
  hot.merge(limbs);
  if (a.second_pass && all_have_added(a.counter)) finish_sums(a, threadIdx.x, blockDim.x);
}

/// Sums the bins that are set aside. The first run finds their largest weights, the second one adds
/// and finishes: a bin without a weight that is not small at the scale of all bins gets a scale for
/// itself. Row y of blocks has slice y of the bins.
template <class Rule, class W>
__global__ void __maxnreg__(histogram_registers)
    sum_again_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  ptx::grid_dependency_wait();
  if (__ldcg(a.sums.set_aside) == 0) return;
  extern __shared__ __align__(16) unsigned char memory[];
  const block_bins bins = make_block_bins(static_cast<unsigned>(a.rule.bins()), a.slice, 1);
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();
  const index_t terms = a.pairs.weights.size;
  const W small = make_scale<W>(a.sums.largest, terms).small_limit();
  const bool scale_holds = a.sums.scale_holds();
  for (index_t i = thread_of_row(); i < terms; i += threads_of_row()) {
    const auto bin = static_cast<index_t>(find_bin(rule, a.pairs.x[i]));
    if (bin < bins.first || bin >= bins.first + bins.count) continue;
    if (__ldcg(a.sums.flags + bin) != is_set_aside) continue;
    const bin_set_aside<W> apart(a.sums, bin, scale_holds);
    if (!a.second_pass)
      apart.raise(a.pairs.weights[i]);
    else if (const W largest = apart.largest_weight(); largest < small)
      apart.add(fixed_point<W>(largest, terms), a.pairs.weights[i]);
  }
  if (!a.second_pass || !all_have_added(a.counter)) return;
  for (index_t bin = threadIdx.x; bin < static_cast<index_t>(a.rule.bins()); bin += blockDim.x) {
    if (__ldcg(a.sums.flags + bin) != is_set_aside) continue;
    const bin_set_aside<W> apart(a.sums, bin, scale_holds);
    const W largest = apart.largest_weight();
    const W sum = largest < small ? apart.sum(fixed_point<W>(largest, terms))
                                  : __builtin_bit_cast(W, __ldcg(apart.kept));
    store_sum(a.result[bin], sum, a.adds);
  }
}

}  // namespace tandem::cuda_impl
