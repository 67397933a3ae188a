// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>
#include <tandem/core/numbers/fixed_point.hpp>

#include <cstdint>
#include <type_traits>

/// How a block adds fixed-point weights (core/numbers/fixed_point.hpp) to bins in its shared
/// memory.
namespace tandem::cuda_impl {

/// The private sums of a block: two words per limb, each an array over bins and copies.
struct block_sums {
  block_bins bins;
  unsigned* words;

  __device__ unsigned* part(unsigned number) const { return words + number * bins.words(); }
};

/// The small weights of a block, in shared memory: a bit per bin that has received one, and their
/// number.
struct small_weights {
  unsigned* bits;
  unsigned* count;

  __device__ static unsigned mask(unsigned bin) { return 1u << (bin % 32); }
  __device__ bool has(unsigned bin) const { return (bits[bin / 32] & mask(bin)) != 0; }
  /// An atomic for the bit of a bin only for its first ones: there may be many.
  __device__ void add(unsigned bin) const {
    if (!has(bin)) atomicOr(bits + bin / 32, mask(bin));
    atomicAdd(count, 1u);
  }
};

/// With at least this many weights, their integer parts are at most 2^50
/// (core/numbers/fixed_point.hpp), as whole_bits() requires.
inline constexpr index_t min_fast_size = 2048;

/// whole_bits() returns the integer part of a finite float if a double holds it exactly, and
/// magic_bits are the bits of 1.5 * 2^52, whose addition leaves the integer in the low bits. The
/// integer is the weight times the scale, rounded once to the nearest integer as in split(),
/// without the slow conversion.
inline constexpr unsigned long long magic_bits = 0x43380000'00000000;
__device__ inline unsigned long long whole_bits(const fixed_point<float>& scale, float weight) {
  return static_cast<unsigned long long>(
      __double_as_longlong(__fma_rn(static_cast<double>(weight), scale.scale(), 0x1.8p52)));
}

/// The magnitudes of N floats as bits, which are ordered as the magnitudes are; 0 for floats
/// without a bin.
template <int N>
struct group_magnitudes {
  unsigned each[N];
  unsigned most = 0;
  unsigned least_minus_1 = ~0u;  ///< of those that are not 0: 0 minus 1 is above all others

  template <class HasBin>
  __device__ __forceinline__ group_magnitudes(const float (&weights)[N], const HasBin& has_bin) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      each[k] = has_bin(k) ? __float_as_uint(weights[k]) & 0x7fffffffu : 0u;
      most = max(most, each[k]);
      least_minus_1 = min(least_minus_1, each[k] - 1);
    }
  }

  __device__ __forceinline__ bool are_finite() const { return most < 0x7f800000u; }

  /// Calls f(k) for the magnitudes below fixed_point::small_limit() that are not 0.
  template <class Function>
  __device__ __forceinline__ void for_each_small(float small_limit, const Function& f) const {
    const unsigned limit = __float_as_uint(small_limit);
    if (limit == 0 || least_minus_1 >= limit - 1) return;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (each[k] - 1 < limit - 1) f(k);
    }
  }
};

/// Adds weights to the sums of a block.
template <class Rule, class W>
struct weight_adder {
  using scale_type = fixed_point<W>;
  using Value = typename Rule::value_type;
  static constexpr auto limb_count = static_cast<unsigned>(scale_type::limbs);

  const Rule& rule;
  scale_type scale;
  block_sums block;
  small_weights small;
  unsigned* flags;
  unsigned count;             ///< bins to add to, starting at block.bins.first
  bool fast;                  ///< add_fast() may be used
  W largest = 0;              ///< largest finite |w| that this thread has added to the bins
  unsigned fast_largest = 0;  ///< bits of the largest |w| in add_fast()

  /// Adds N weights to bins of the block, infinities and NaNs as 0. Shared memory has no 64-bit
  /// addition, so the low words are added first. A thread whose addition wraps a low word adds the
  /// carry to the high word.
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

  /// Notes a finite weight that is added to a bin below `count`.
  __device__ __forceinline__ void note(unsigned bin, W w) {
    largest = tandem::max(largest, tandem::abs(w));
    if (scale.is_small(w)) small.add(bin);
  }

  /// Adds one weight, finite or not, to a bin below `count`.
  __device__ void add(unsigned bin, W w) {
    const unsigned flag = classify_weight(w);
    if (flag != weight_is_finite) {
      atomicOr(flags + block.bins.first + bin, flag);
    } else {
      const unsigned bins[1] = {bin};
      const W weights[1] = {w};
      add_shared(bins, weights);
      note(bin, w);
    }
  }

  /// Adds the pairs that a batch left out: values whose guesses are uncertain and weights that are
  /// not finite. Adds them one by one, as in count_uncertain().
  template <int N>
  __device__ __forceinline__ void add_rest(const Value (&values)[N], const W (&weights)[N]) {
#pragma unroll 1
    for (int k = 0; k < N; ++k) {
      Value value = values[0];
      W weight = weights[0];
#pragma unroll
      for (int j = 1; j < N; ++j) {
        value = j == k ? values[j] : value;
        weight = j == k ? weights[j] : weight;
      }
      if (rule.guess(value).certain && classify_weight(weight) == weight_is_finite) continue;
      const unsigned bin = static_cast<unsigned>(find_bin(rule, value)) - block.bins.first;
      if (bin < count) add(bin, weight);
    }
  }

  /// Finds the positions of N values' sums among a limb's words. Returns false if a guess is
  /// uncertain.
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

  /// Adds finite floats with whole_bits().
  template <int N>
  __device__ __forceinline__ void add_whole(const unsigned (&places)[N],
                                            const W (&weights)[N]) const {
    unsigned long long whole[N];
    unsigned before[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      whole[k] = whole_bits(scale, weights[k]);
      before[k] = atomicAdd(block.part(0) + places[k], static_cast<unsigned>(whole[k]));
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const unsigned low = static_cast<unsigned>(whole[k]);
      const unsigned carry = before[k] + low < low ? 1u : 0u;
      constexpr unsigned magic_high = magic_bits >> 32;
      atomicAdd(block.part(1) + places[k],
                static_cast<unsigned>(whole[k] >> 32) - magic_high + carry);
    }
  }

  /// Adds N floats in half the instructions. Does nothing and returns false if a guess is uncertain
  /// or a weight is not finite.
  template <int N>
  __device__ __forceinline__ bool add_fast(const Value (&values)[N], const W (&weights)[N]) {
    unsigned places[N];
    const bool certain = find_places(values, places);
    const unsigned end = block.bins.word(count, 0);
    const group_magnitudes<N> magnitudes(weights, [&](int k) { return places[k] < end; });
    if (!certain || !magnitudes.are_finite()) return false;
    fast_largest = max(fast_largest, magnitudes.most);
    add_whole(places, weights);
    magnitudes.for_each_small(scale.small_limit(),
                              [&](int k) { small.add(places[k] / block.bins.copies); });
    return true;
  }

  template <int N>
  __device__ __forceinline__ void operator()(const Value (&values)[N], const W (&weights)[N]) {
    if constexpr (std::is_same_v<W, float>) {
      if (fast && add_fast(values, weights)) return;
    }
    unsigned bins[N];
    bool rest = false;
    bool some_are_small = false;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const auto guess = rule.guess(values[k]);
      const auto bin = guess.bin - block.bins.first;
      const bool is_finite = classify_weight(weights[k]) == weight_is_finite;
      // The spare bin takes values outside all bins and values that add_rest() adds.
      bins[k] = guess.certain && bin < count ? static_cast<unsigned>(bin) : count;
      const W counted = bins[k] != count && is_finite ? weights[k] : W{0};
      largest = tandem::max(largest, tandem::abs(counted));
      some_are_small |= scale.is_small(counted);
      rest |= !guess.certain || !is_finite;
    }
    add_shared(bins, weights);
    if (some_are_small) {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if (bins[k] != count && scale.is_small(weights[k])) small.add(bins[k]);
      }
    }
    if (rest) add_rest(values, weights);
  }
};

}  // namespace tandem::cuda_impl
