// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/histogram/plan.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <algorithm>
#include <cstdint>

/// Sums of weights, private to each thread, in the fixed point of core/numbers/fixed_point.hpp.
namespace tandem::openmp_impl {

/// Parts of a block of weights, limb by limb, as fixed_point::split() computes them; 0 for weights
/// that are not finite.
template <class W>
struct block_parts {
  std::uint64_t limb[fixed_point<W>::limbs][histogram_block];
};

/// From this many weights on, their parts are below 2^51 (core/numbers/fixed_point.hpp), as the
/// kernels require.
inline constexpr index_t min_fast_weights = 2049;

/// Splits a block of weights by a kernel. Returns whether all are finite.
template <class W>
bool split_block_fast(const fixed_point<W>& scale, const strided_values<W>& weights, int count,
                      block_parts<W>& parts) {
  W copies[histogram_block];
  if (weights.stride != 1) {
    for (int i = 0; i < count; ++i) copies[i] = weights[i];
  }
  return best_kernels<histogram_kernels>().of<W>().split(
      {scale.scale(), scale.fraction_scale()}, weights.stride == 1 ? weights.data : copies, count,
      parts.limb[0], parts.limb[fixed_point<W>::limbs - 1]);
}

/// Splits a block of weights one by one.
template <class W>
bool split_block(const fixed_point<W>& scale, const strided_values<W>& weights, int count,
                 block_parts<W>& parts) {
  bool finite = true;
  for (int i = 0; i < count; ++i) {
    const bool is_finite = classify_weight(weights[i]) == weight_is_finite;
    finite = finite && is_finite;
    std::uint64_t split[fixed_point<W>::limbs];
    scale.split(is_finite ? weights[i] : W{0}, split);
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
      parts.limb[limb][i] = split[limb];
  }
  return finite;
}

/// A thread's private sums: the limbs of a bin side by side, and flags for weights that are not
/// finite. A spare bin takes the values that fall into none.
template <class W>
struct sums_row {
  static constexpr std::size_t limbs = fixed_point<W>::limbs;

  std::uint64_t* sums;
  std::uint8_t* flags;

  void add(const std::uint32_t* bins, int count, const block_parts<W>& parts) const {
    std::uint64_t* const to = sums;
    for (int i = 0; i < count; ++i) {
      std::uint64_t* const sum = to + std::size_t{bins[i]} * limbs;
      for (std::size_t limb = 0; limb < limbs; ++limb) sum[limb] += parts.limb[limb][i];
    }
  }
  void add_flags(const std::uint32_t* bins, int count, const strided_values<W>& weights) const {
    for (int i = 0; i < count; ++i)
      flags[bins[i]] |= static_cast<std::uint8_t>(classify_weight(weights[i]));
  }
};

/// The private sums of all threads, one row per thread, at least a cache line apart.
template <class W>
class private_sums {
 public:
  static constexpr index_t limbs = fixed_point<W>::limbs;

  private_sums(int threads, index_t bins)
      : bins_(bins), sums_(threads * pitch() * limbs), flags_(threads * flag_pitch()) {}

  sums_row<W> row(int thread) const {
    return {sums_.data() + thread * pitch() * limbs, flags_.data() + thread * flag_pitch()};
  }
  void clear(int thread) const {
    const sums_row<W> mine = row(thread);
    const auto bins = static_cast<std::size_t>(bins_ + 1);
    std::fill_n(mine.sums, bins * limbs, std::uint64_t{0});
    std::fill_n(mine.flags, bins, std::uint8_t{0});
  }
  /// Returns the sum of a bin over the rows of `used` threads.
  W value(const fixed_point<W>& scale, index_t bin, int used) const {
    std::uint64_t total[fixed_point<W>::limbs] = {};
    std::uint32_t flags = weight_is_finite;
    for (int thread = 0; thread < used; ++thread) {
      const sums_row<W> from = row(thread);
      for (index_t limb = 0; limb < limbs; ++limb) total[limb] += from.sums[bin * limbs + limb];
      flags |= from.flags[bin];
    }
    return flags == weight_is_finite ? scale.join(total) : sum_of_flags<W>(flags);
  }

 private:
  index_t pitch() const { return bins_ + 16; }
  index_t flag_pitch() const { return round_up(bins_ + 1, index_t{64}) + 64; }

  index_t bins_;
  scratch<std::uint64_t> sums_;
  scratch<std::uint8_t> flags_;
};

/// Returns the scale for n weights.
template <class W>
fixed_point<W> find_scale(const openmp& space, const strided_values<W>& weights, index_t n) {
  constexpr largest_finite<W> reducer;
  W largest = 0;
  if (n > 0 && weights.stride == 1) {
    largest = dispatch_reduce(space, "histogram", n,
                              contiguous_load<W, largest_finite<W>>{weights.data, {}}, reducer);
  } else if (n > 0) {
    const strided_load<W, largest_finite<W>> load{weights.data, weights.stride, {}};
    largest = dispatch_reduce(space, "histogram", n, load, reducer);
  }
  return fixed_point<W>(largest, n);
}

/// Adds the weights of the elements begin .. end - 1 of x to a thread's sums.
template <class W, class Rule>
void add_weights(const strided_values<typename Rule::value_type>& x,
                 const strided_values<W>& weights, share mine, const Rule& rule,
                 const fixed_point<W>& scale, bool fast, const sums_row<W>& row) {
  for_each_block(
      rule, x, mine.begin, mine.end, [&](index_t first, int count, const std::uint32_t* bins) {
        const strided_values<W> of{weights.data + first * weights.stride, weights.stride};
        block_parts<W> parts;
        const bool finite =
            fast ? split_block_fast(scale, of, count, parts) : split_block(scale, of, count, parts);
        row.add(bins, count, parts);
        if (!finite) row.add_flags(bins, count, of);
      });
}

/// Stores the sum of the weights of the elements of x that fall into bin b in result[b], or adds
/// it.
template <class W, class Rule>
void sum_weights(const openmp& space, const strided_values<typename Rule::value_type>& x,
                 const strided_values<W>& weights, index_t size, const Rule& rule, W* result,
                 bool adds) {
  constexpr index_t words = index_t{fixed_point<W>::limbs} * 2;
  const auto bins = static_cast<index_t>(rule.bins());
  const fixed_point<W> scale = find_scale(space, weights, size);
  const int threads = useful_histogram_threads(space.threads(), size, bins * words);
  const private_sums<W> sums(threads, bins);
  int used = 0;  // fewer than requested if OpenMP provides no more
  run_parallel(threads, [&](int part, int parts) {
    if (part == 0) used = parts;
    sums.clear(part);
    add_weights(x, weights, share_of(size, part, parts), rule, scale, size >= min_fast_weights,
                sums.row(part));
  });
  run_parallel(bins < 4096 ? 1 : threads, [&](int part, int parts) {
    const share mine = share_of(bins, part, parts);
    for (index_t bin = mine.begin; bin < mine.end; ++bin)
      store_sum(result[bin], sums.value(scale, bin, used), adds);
  });
}

}  // namespace tandem::openmp_impl
