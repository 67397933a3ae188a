// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/hot_bins.cuh>
#include <tandem/backends/cuda/histogram/weight_adder.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cstdint>
#include <type_traits>

/// How a block adds fixed-point weights to bins in global memory. Normally this takes one atomic
/// addition per limb and pair. It takes fewer if adjacent pairs, or a large fraction of all pairs,
/// fall into the same bin, because global memory serialises additions to one bin.
namespace tandem::cuda_impl {

/// The sums of a block's hot bins: two words per limb, as in block_sums.
template <class W>
struct hot_sums {
  static constexpr auto limb_count = static_cast<unsigned>(fixed_point<W>::limbs);
  static constexpr unsigned payload = 2 * limb_count;

  hot_slots slots;

  __device__ void add(unsigned slot, const unsigned long long (&parts)[limb_count]) const {
#pragma unroll
    for (unsigned limb = 0; limb < limb_count; ++limb) {
      const auto low = static_cast<unsigned>(parts[limb]);
      const unsigned before = atomicAdd(slots.payload(2 * limb) + slot, low);
      const unsigned carry = before + low < low ? 1u : 0u;
      atomicAdd(slots.payload(2 * limb + 1) + slot,
                static_cast<unsigned>(parts[limb] >> 32) + carry);
    }
  }

  /// Adds the block's sums to those in global memory.
  __device__ void merge(unsigned long long* limbs) const {
    for (unsigned s = threadIdx.x; s < slots.size(); s += blockDim.x) {
      const index_t bin = slots.bin_of(s);
      if (bin == no_bin) continue;
      for (unsigned limb = 0; limb < limb_count; ++limb) {
        const unsigned long long total =
            (static_cast<unsigned long long>(slots.payload(2 * limb + 1)[s]) << 32) +
            slots.payload(2 * limb)[s];
        if (total != 0) ptx::add_global(limbs + bin * limb_count + limb, total);
      }
    }
  }
};

/// Adds weights to sums in global memory.
template <class Rule, class W>
struct global_adder {
  using Value = typename Rule::value_type;
  static constexpr auto limb_count = static_cast<unsigned>(fixed_point<W>::limbs);
  /// Stands for no bin; above all bins.
  static constexpr auto none = static_cast<unsigned>(no_bin);

  const Rule& rule;
  fixed_point<W> scale;
  hot_sums<W> hot;
  unsigned long long* limbs;
  unsigned* flags;
  unsigned* small;            ///< counts the small weights of each bin
  bool fast;                  ///< whole_bits() may be used
  W largest = 0;              ///< largest finite |w| with a bin of groups with non-finite weights
  unsigned fast_largest = 0;  ///< bits of the largest |w| with a bin of other groups of floats

  /// What N pairs add to their bins.
  template <int N>
  struct additions {
    unsigned bins[N];
    unsigned long long parts[N][limb_count];
  };

  /// Counts a small weight of a bin, up to max_counted_small: there may be many.
  __device__ __forceinline__ void note_small(unsigned bin) const {
    if (__ldcg(small + bin) < max_counted_small) atomicAdd(small + bin, 1u);
  }

  /// Finds the largest weight and small ones. For non-finite weights, sets the flags and clears
  /// their bins.
  template <int N>
  __device__ __forceinline__ void inspect(const W (&weights)[N], unsigned (&bins)[N]) {
    if constexpr (std::is_same_v<W, float>) {
      const group_magnitudes<N> magnitudes(weights, [&](int k) { return bins[k] != none; });
      if (magnitudes.are_finite()) {
        fast_largest = max(fast_largest, magnitudes.most);
        magnitudes.for_each_small(scale.small_limit(), [&](int k) { note_small(bins[k]); });
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (bins[k] == none) continue;
      const unsigned flag = classify_weight(weights[k]);
      if (flag == weight_is_finite) {
        largest = tandem::max(largest, tandem::abs(weights[k]));
        if (scale.is_small(weights[k])) note_small(bins[k]);
      } else {
        atomicOr(flags + bins[k], flag);
        bins[k] = none;
      }
    }
  }

  /// Splits a weight into limbs; unspecified if it is not finite.
  __device__ __forceinline__ void split(W weight, unsigned long long (&parts)[limb_count]) const {
    if constexpr (std::is_same_v<W, float>) {
      if (fast) {
        parts[0] = whole_bits(scale, weight) - magic_bits;
        return;
      }
    }
    std::uint64_t split_parts[limb_count];
    scale.split(weight, split_parts);
#pragma unroll
    for (unsigned limb = 0; limb < limb_count; ++limb) parts[limb] = split_parts[limb];
  }

  template <int N>
  __device__ __forceinline__ additions<N> find(const Value (&values)[N], const W (&weights)[N]) {
    additions<N> found;
#pragma unroll
    for (int k = 0; k < N; ++k) found.bins[k] = static_cast<unsigned>(find_bin(rule, values[k]));
    inspect(weights, found.bins);
#pragma unroll
    for (int k = 0; k < N; ++k) split(weights[k], found.parts[k]);
    return found;
  }

  /// Merges the additions of adjacent pairs to the same bin.
  template <int N>
  __device__ __forceinline__ static void join_neighbours(additions<N>& all) {
#pragma unroll
    for (int k = 0; k + 1 < N; ++k) {
      const bool same = all.bins[k] == all.bins[k + 1];
#pragma unroll
      for (unsigned limb = 0; limb < limb_count; ++limb)
        all.parts[k + 1][limb] += same ? all.parts[k][limb] : 0;
      all.bins[k] = same ? none : all.bins[k];
    }
  }

  /// Adds to a bin, either in the block or in global memory.
  __device__ __forceinline__ void add(unsigned bin,
                                      const unsigned long long (&parts)[limb_count]) const {
    if (bin == none) return;
    const unsigned slot = hot.slots.find(bin);
    if (slot != hot_slots::none) return hot.add(slot, parts);
#pragma unroll
    for (unsigned limb = 0; limb < limb_count; ++limb)
      ptx::add_global(limbs + index_t{bin} * limb_count + limb, parts[limb]);
  }

  /// If all lanes add to the same bin, adds their total from one lane. Returns false if they do
  /// not.
  template <int N>
  __device__ __forceinline__ bool add_as_warp(const additions<N>& all) const {
    bool is_one = all.bins[N - 1] == __shfl_sync(whole_warp, all.bins[N - 1], 0);
#pragma unroll
    for (int k = 0; k + 1 < N; ++k) is_one &= all.bins[k] == none;
    if (!__all_sync(whole_warp, is_one)) return false;
    unsigned long long total[limb_count];
#pragma unroll
    for (unsigned limb = 0; limb < limb_count; ++limb) {
      total[limb] = all.parts[N - 1][limb];
#pragma unroll
      for (int distance = warp_threads / 2; distance >= 1; distance /= 2)
        total[limb] += __shfl_xor_sync(whole_warp, total[limb], distance);
    }
    if (lane_of_warp() == 0) add(all.bins[N - 1], total);
    return true;
  }

  /// Adds a group of pairs. All lanes of a warp must call it.
  template <int N>
  __device__ __forceinline__ void add_group(const Value (&values)[N], const W (&weights)[N]) {
    additions<N> all = find(values, weights);
    join_neighbours(all);
    if (add_as_warp(all)) return;
#pragma unroll
    for (int k = 0; k < N; ++k) add(all.bins[k], all.parts[k]);
  }

  /// Adds pairs; any subset of threads may call it.
  template <int N>
  __device__ __forceinline__ void add_pairs(const Value (&values)[N], const W (&weights)[N]) {
    const additions<N> all = find(values, weights);
#pragma unroll
    for (int k = 0; k < N; ++k) add(all.bins[k], all.parts[k]);
  }
};

}  // namespace tandem::cuda_impl
