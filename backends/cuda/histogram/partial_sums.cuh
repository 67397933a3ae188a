// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <cstdint>
#include <type_traits>

/// The sums of a weighted histogram while its kernels add to them.
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

/// Data that the kernels pass on through the stream's scratch memory. The first one clears all of
/// it but the samples.
struct partial_sums {
  unsigned long long known;     ///< magnitude that gives the scale if no sample does, or 0
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

template <class W>
__device__ inline fixed_point<W> make_scale(unsigned long long largest, index_t terms) {
  return fixed_point<W>(static_cast<W>(sum_progress::magnitude(largest)), terms);
}

}  // namespace tandem::cuda_impl
