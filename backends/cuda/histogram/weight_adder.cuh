// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/core/contract/histogram_sums.hpp>

#include <cstdint>

/// How a block adds weights in fixed point (core/contract/histogram_sums.hpp).
namespace tandem::cuda_impl {

/// The private sums of a block: 2 words a limb, each an array over bins and copies.
struct block_sums {
  block_bins bins;
  unsigned* words;

  __device__ unsigned* part(unsigned number) const { return words + number * bins.words(); }
};

/// From this many weights on, their whole parts are at most 2^50
/// (core/contract/histogram_sums.hpp).
inline constexpr index_t min_fast_size = 2048;

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
  unsigned count;             ///< bins to add to, from block.bins.first on
  bool fast;                  ///< add_fast() may be asked
  W largest = 0;              ///< finite |w| of this thread
  unsigned fast_largest = 0;  ///< bits of the same, of those that were added quickly

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
  /// finite, all in global memory. One after the other, as in count_uncertain().
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

  /// Places of N values' sums among a limb's words. False where a value has to be searched for.
  template <int N>
  __device__ __forceinline__ bool find_places(const Value (&values)[N],
                                              unsigned (&places)[N]) const {
    const unsigned copy = threadIdx.x & (block.bins.copies - 1);
    bool certain = true;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const auto guess = rule.guess(values[k]);
      const auto bin = guess.bin - block.bins.first;
      certain &= guess.certain;
      places[k] = block.bins.word(bin < count ? static_cast<unsigned>(bin) : count, copy);
    }
    return certain;
  }

  /// Adds finite floats whose whole parts a double holds exactly: once 1.5 * 2^52 is added, they
  /// are its low bits. That is the weight times the scale, rounded once to the nearest integer, as
  /// split() has it, without the slow conversion.
  template <int N>
  __device__ __forceinline__ void add_whole(const unsigned (&places)[N],
                                            const W (&weights)[N]) const {
    constexpr double magic = 0x1.8p52;
    constexpr unsigned magic_high = 0x43380000;
    double sum[N];
    unsigned before[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      sum[k] = __fma_rn(static_cast<double>(weights[k]), scale.scale(), magic);
      before[k] =
          atomicAdd(block.part(0) + places[k], static_cast<unsigned>(__double2loint(sum[k])));
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const auto low = static_cast<unsigned>(__double2loint(sum[k]));
      const unsigned carry = before[k] + low < low ? 1u : 0u;
      atomicAdd(block.part(1) + places[k],
                static_cast<unsigned>(__double2hiint(sum[k])) - magic_high + carry);
    }
  }

  /// Adds N floats in half the instructions; does nothing and returns false where a value or a
  /// weight has to be looked at more closely.
  template <int N>
  __device__ __forceinline__ bool add_fast(const Value (&values)[N], const W (&weights)[N]) {
    unsigned magnitude = 0;  // the bits of floats order as their magnitudes do
#pragma unroll
    for (int k = 0; k < N; ++k)
      magnitude = max(magnitude, __float_as_uint(weights[k]) & 0x7fffffffu);
    unsigned places[N];
    if (!find_places(values, places) || magnitude >= 0x7f800000u) return false;
    fast_largest = max(fast_largest, magnitude);
    add_whole(places, weights);
    return true;
  }

  template <int N>
  __device__ __forceinline__ void operator()(const Value (&values)[N], const W (&weights)[N]) {
    if constexpr (sizeof(W) == 4) {
      if (fast && add_fast(values, weights)) return;
    }
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

}  // namespace tandem::cuda_impl
