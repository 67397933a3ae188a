// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram_block.cuh>
#include <tandem/backends/cuda/histogram_cells.cuh>
#include <tandem/backends/cuda/histogram_launch.cuh>
#include <tandem/backends/cuda/histogram_nearest.cuh>
#include <tandem/backends/cuda/histogram_pairs.cuh>
#include <tandem/core/histogram_sums.hpp>

#include <type_traits>

/// Sums of weights in fixed point (core/histogram_sums.hpp): guess the scale from a sample, add
/// integers in any order while looking for the largest weight, add again if that gives another
/// scale, convert.
namespace tandem::cuda_impl {

/// What the kernels pass on, in the stream's scratch. All zero at first.
///
/// Weights' magnitudes are kept as bits of doubles, which order as the values do.
struct partial_sums {
  unsigned long long* sampled;  ///< the largest finite |w| of a sample
  unsigned long long* largest;  ///< the largest of all
  unsigned long long* limbs;    ///< those of a bin side by side, at the sample's scale
  unsigned long long* again;    ///< the same at the right one, if it differs
  unsigned* flags;

  /// Whether the sample gave the right scale, which depends on an exponent only.
  __device__ bool guessed() const { return *sampled >> 52 == *largest >> 52; }
};

template <class Rule, class W>
struct sum_arguments {
  histogram_pairs<typename Rule::value_type, W> pairs;
  Rule rule;
  partial_sums sums;
  unsigned slice;  ///< bins of a block in shared memory; 0: they are all in global memory
  unsigned copies;
  unsigned table_offset;  ///< as in count_arguments
  bool again;             ///< the second time, after a wrong guess
};

template <class W>
__device__ inline fixed_point<W> make_scale(const unsigned long long* largest, index_t terms) {
  return fixed_point<W>(static_cast<W>(__longlong_as_double(static_cast<long long>(*largest))),
                        terms);
}

/// *largest = max(*largest, every thread's `mine` >= 0). Exact in any order.
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

/// Looks at `each` weights for every block, from evenly spread places, the last ones among them.
template <class W>
__global__ void __launch_bounds__(histograms.block)
    sample_weights_kernel(const __grid_constant__ histogram_line<W> weights, index_t each,
                          unsigned long long* sampled) {
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

/// The private sums of a block: 2 words a limb, each an array over bins and copies.
struct block_sums {
  block_bins bins;
  unsigned* words;

  __device__ unsigned* part(unsigned number) const { return words + number * bins.words(); }
};

/// A block's way of adding weights.
template <class Rule, class W>
struct weight_adder {
  using scale_type = fixed_point<W>;
  using Value = typename Rule::value_type;
  static constexpr auto limb_count = static_cast<unsigned>(scale_type::limbs);

  const Rule& rule;
  scale_type scale;
  block_sums block;
  unsigned long long* limbs;
  unsigned* flags;
  unsigned count;  ///< bins to add to, from block.bins.first on
  W largest = 0;   ///< finite |w| of this thread

  /// Adds N weights to bins of the block, those that are not finite as 0. All low words before the
  /// high ones: shared memory adds no 64 bits, so whoever makes a low word wrap around carries.
  template <int N>
  __device__ __forceinline__ void add_shared(const unsigned (&bins)[N],
                                             const W (&weights)[N]) const {
    const unsigned copy = threadIdx.x & (block.bins.copies - 1);
    std::uint64_t parts[N][limb_count];
    unsigned before[N][limb_count];
#pragma unroll
    for (int k = 0; k < N; ++k)
      scale.split(classify_weight(weights[k]) == weight_is_finite ? weights[k] : W{0}, parts[k]);
#pragma unroll
    for (int k = 0; k < N; ++k) {
#pragma unroll
      for (unsigned limb = 0; limb < limb_count; ++limb)
        before[k][limb] = atomicAdd(block.part(2 * limb) + block.bins.word(bins[k], copy),
                                    static_cast<unsigned>(parts[k][limb]));
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
#pragma unroll
      for (unsigned limb = 0; limb < limb_count; ++limb) {
        const auto low = static_cast<unsigned>(parts[k][limb]);
        const unsigned carry = before[k][limb] + low < low ? 1u : 0u;
        atomicAdd(block.part(2 * limb + 1) + block.bins.word(bins[k], copy),
                  static_cast<unsigned>(parts[k][limb] >> 32) + carry);
      }
    }
  }

  /// Adds a finite weight to a bin in global memory.
  __device__ void add_global(unsigned bin, W w) const {
    std::uint64_t parts[limb_count];
    scale.split(w, parts);
    for (unsigned limb = 0; limb < limb_count; ++limb)
      atomicAdd(limbs + index_t{bin} * limb_count + limb,
                static_cast<unsigned long long>(parts[limb]));
  }

  /// Adds one weight, whatever it is, to a bin below `count`.
  __device__ void add(unsigned bin, W w) const {
    const unsigned flag = classify_weight(w);
    if (flag != weight_is_finite) {
      atomicOr(flags + block.bins.first + bin, flag);
    } else if (block.bins.copies == 0) {
      add_global(bin, w);
    } else {
      const unsigned bins[1] = {bin};
      const W weights[1] = {w};
      add_shared(bins, weights);
    }
  }

  /// Adds those that a batch left out: values whose guesses are in doubt, weights that are not
  /// finite, all in global memory. One after the other, as in count_doubtful().
  template <int N>
  __device__ __forceinline__ void add_rest(const Value (&values)[N], const W (&weights)[N]) const {
#pragma unroll 1
    for (int k = 0; k < N; ++k) {
      Value value = values[0];
      W weight = weights[0];
#pragma unroll
      for (int j = 1; j < N; ++j) {
        value = j == k ? values[j] : value;
        weight = j == k ? weights[j] : weight;
      }
      const bool done = block.bins.copies != 0 && rule.guess(value).certain &&
                        classify_weight(weight) == weight_is_finite;
      if (done) continue;
      const unsigned bin = static_cast<unsigned>(find_bin(rule, value)) - block.bins.first;
      if (bin < count) add(bin, weight);
    }
  }

  template <int N>
  __device__ __forceinline__ void operator()(const Value (&values)[N], const W (&weights)[N]) {
    constexpr largest_finite<W> reducer;
    unsigned bins[N];
    bool rest = block.bins.copies == 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      largest = reducer.combine(largest, reducer.lift(weights[k], 0));
      const auto guess = rule.guess(values[k]);
      const auto bin = guess.bin - block.bins.first;
      // The spare bin takes what belongs nowhere, or not yet.
      bins[k] = guess.certain && bin < count ? static_cast<unsigned>(bin) : count;
      rest |= !guess.certain || classify_weight(weights[k]) != weight_is_finite;
    }
    if (block.bins.copies != 0) add_shared(bins, weights);
    if (rest) add_rest(values, weights);
  }
};

/// Adds a block's private sums to those in global memory.
template <class W>
__device__ inline void merge_sums(const block_sums& block, unsigned long long* all) {
  constexpr auto limbs = static_cast<unsigned>(fixed_point<W>::limbs);
  for (unsigned bin = threadIdx.x; bin < block.bins.count; bin += blockDim.x) {
    for (unsigned limb = 0; limb < limbs; ++limb) {
      unsigned long long total = 0;
      for (unsigned step = 0; step < block.bins.copies; ++step) {
        const unsigned at = block.bins.word(bin, block.bins.turn(bin, step));
        total += (static_cast<unsigned long long>(block.part(2 * limb + 1)[at]) << 32) +
                 block.part(2 * limb)[at];
      }
      if (total != 0) atomicAdd(all + index_t{block.bins.first + bin} * limbs + limb, total);
    }
  }
}

/// Row y of blocks sums slice y of the bins; with slice 0 there is one row, and bins are in global
/// memory.
template <class Rule, class W>
__global__ void __maxnreg__(histograms.registers)
    sum_kernel(const __grid_constant__ sum_arguments<Rule, W> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  if (a.again && a.sums.guessed()) return;
  const auto all = static_cast<unsigned>(a.rule.bins());
  const bool global = a.slice == 0;
  const block_bins bins = global ? block_bins{0, 0, 0} : make_block_bins(all, a.slice, a.copies);
  const block_sums block{bins, reinterpret_cast<unsigned*>(memory)};
  constexpr auto parts = static_cast<unsigned>(2 * fixed_point<W>::limbs);
  for (unsigned w = threadIdx.x; w < parts * bins.words(); w += blockDim.x) block.words[w] = 0;
  decltype(auto) rule = stage_rule(a.rule, memory + a.table_offset, bins);
  __syncthreads();

  unsigned long long* const limbs = a.again ? a.sums.again : a.sums.limbs;
  weight_adder<std::remove_cvref_t<decltype(rule)>, W> add = {
      .rule = rule,
      .scale = make_scale<W>(a.again ? a.sums.largest : a.sums.sampled, a.pairs.weights.size),
      .block = block,
      .limbs = limbs,
      .flags = a.sums.flags,
      .count = global ? all : bins.count};
  for_each_pairs(a.pairs, [&](const auto& values, const auto& weights) { add(values, weights); });
  if (!a.again) merge_largest(add.largest, a.sums.largest);
  __syncthreads();
  merge_sums<W>(block, limbs);
}

/// result[b] = the sum of bin b.
template <class W>
__global__ void finish_sums_kernel(partial_sums sums, index_t bins, index_t terms, W* result) {
  constexpr auto limbs = fixed_point<W>::limbs;
  const auto scale = make_scale<W>(sums.largest, terms);
  const unsigned long long* const all = sums.guessed() ? sums.limbs : sums.again;
  for (index_t bin = thread_of_row(); bin < bins; bin += threads_of_row()) {
    std::uint64_t parts[limbs];
    for (std::size_t limb = 0; limb < limbs; ++limb)
      parts[limb] = all[bin * index_t{limbs} + index_t(limb)];
    const unsigned flags = sums.flags[bin];
    result[bin] = flags == weight_is_finite ? scale.join(parts) : sum_of_flags<W>(flags);
  }
}

}  // namespace tandem::cuda_impl
