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
#include <atomic>
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

/// Splits a block of weights by a kernel.
template <class W>
weight_facts<W> split_block_fast(const fixed_point<W>& scale, const strided_values<W>& weights,
                                 const std::uint32_t* bins, std::uint32_t number_of_bins, int count,
                                 block_parts<W>& parts) {
  W copies[histogram_block];
  if (weights.stride != 1) {
    for (int i = 0; i < count; ++i) copies[i] = weights[i];
  }
  return best_kernels<histogram_kernels>().of<W>().split(
      {scale.scale(), scale.fraction_scale()}, weights.stride == 1 ? weights.data : copies, bins,
      number_of_bins, count, parts.limb[0], parts.limb[fixed_point<W>::limbs - 1]);
}

/// Splits a block of weights one by one.
template <class W>
weight_facts<W> split_block(const fixed_point<W>& scale, const strided_values<W>& weights,
                            const std::uint32_t* bins, std::uint32_t number_of_bins, int count,
                            block_parts<W>& parts) {
  weight_facts<W> facts = {0, detail::infinity_of<W>, true};
  for (int i = 0; i < count; ++i) {
    const bool is_finite = classify_weight(weights[i]) == weight_is_finite;
    facts.finite = facts.finite && is_finite;
    const W weight = is_finite ? weights[i] : W{0};
    if (bins[i] != number_of_bins && weight != 0) {
      facts.largest = std::max(facts.largest, tandem::abs(weight));
      facts.least = std::min(facts.least, tandem::abs(weight));
    }
    std::uint64_t split[fixed_point<W>::limbs];
    scale.split(weight, split);
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
      parts.limb[limb][i] = split[limb];
  }
  return facts;
}

/// A thread's private sums: the limbs of a bin side by side, and flags for weights that are small
/// or not finite. A spare bin takes the values that fall into none.
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
  /// Returns the number of small weights with bins.
  index_t add_small(const std::uint32_t* bins, std::uint32_t number_of_bins, int count,
                    const strided_values<W>& weights, const fixed_point<W>& scale) const {
    index_t found = 0;
    for (int i = 0; i < count; ++i) {
      if (!scale.is_small(weights[i])) continue;
      flags[bins[i]] |= std::uint8_t{weight_is_small};
      found += bins[i] != number_of_bins ? 1 : 0;
    }
    return found;
  }
};

/// The sum of a bin over all threads.
template <class W>
struct bin_total {
  std::uint64_t limbs[fixed_point<W>::limbs] = {};
  std::uint32_t flags = weight_is_finite;

  /// Whether all weights of the bin may be small, so that it would need a scale for itself. There
  /// are `small` small weights in all bins.
  bool may_be_small(const fixed_point<W>& scale, index_t small) const {
    return flags == weight_is_small && scale.may_be_small(limbs[0], small);
  }
  W value(const fixed_point<W>& scale) const {
    const std::uint32_t no_integer = flags & flags_of_no_integer;
    return no_integer == weight_is_finite ? scale.join(limbs) : sum_of_flags<W>(no_integer);
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
  bin_total<W> total(index_t bin, int used) const {
    bin_total<W> sum;
    for (int thread = 0; thread < used; ++thread) {
      const sums_row<W> from = row(thread);
      for (index_t limb = 0; limb < limbs; ++limb) sum.limbs[limb] += from.sums[bin * limbs + limb];
      sum.flags |= from.flags[bin];
    }
    return sum;
  }

 private:
  index_t pitch() const { return bins_ + 16; }
  index_t flag_pitch() const { return round_up(bins_ + 1, index_t{64}) + 64; }

  index_t bins_;
  scratch<std::uint64_t> sums_;
  scratch<std::uint8_t> flags_;
};

/// Returns the scale of a problem, which is a guess that all weights are counted unless the problem
/// states it.
template <class W>
fixed_point<W> guess_scale(const openmp& space, const strided_values<W>& weights,
                           const histogram_problem& problem) {
  constexpr largest_finite<W> reducer;
  const index_t n = problem.has_largest ? 0 : problem.size;
  auto largest = static_cast<W>(problem.largest);
  if (n > 0 && weights.stride == 1) {
    largest = dispatch_reduce(space, "histogram", n,
                              contiguous_load<W, largest_finite<W>>{weights.data, {}}, reducer);
  } else if (n > 0) {
    const strided_load<W, largest_finite<W>> load{weights.data, weights.stride, {}};
    largest = dispatch_reduce(space, "histogram", n, load, reducer);
  }
  return fixed_point<W>(largest, problem.terms_of_sum());
}

/// A sum of the weights of the elements of x over the bins that `rule` finds for them.
template <class W, class Rule>
class weighted_sum {
 public:
  weighted_sum(const openmp& space, const strided_values<typename Rule::value_type>& x,
               const strided_values<W>& weights, const histogram_problem& problem, const Rule& rule)
      : x_(x),
        weights_(weights),
        size_(problem.size),
        terms_(problem.terms_of_sum()),
        rule_(rule),
        bins_(static_cast<index_t>(rule.bins())),
        threads_(useful_histogram_threads(space.threads(), size_, bins_ * words)),
        scale_(guess_scale(space, weights, problem)),
        scale_is_known_(problem.has_largest),
        sums_(threads_, bins_) {}

  /// Stores the sums, or adds them.
  void store(W* result, bool adds) {
    add_all();
    if (!scale_is_known_ && fixed_point<W>::exponent_of(largest_) != scale_.exponent()) {
      scale_ = fixed_point<W>(largest_, terms_);
      add_all();
    }
    if (small_ > 0 && may_have_small_bins()) return store_in_two_steps(result, adds);
    for_each_bin(
        [&](index_t bin) { store_sum(result[bin], sums_.total(bin, used_).value(scale_), adds); });
  }

  /// Stores the sums as integers.
  void store_integers(const histogram_problem::integer_sums& to) {
    add_all();
    *static_cast<W*>(to.largest) = largest_;
    for_each_bin([&](index_t bin) {
      constexpr index_t limbs = fixed_point<W>::limbs;
      const bin_total<W> total = sums_.total(bin, used_);
      std::copy_n(total.limbs, limbs, to.limbs + bin * limbs);
      const index_t small = (total.flags & weight_is_small) != 0 ? small_ : 0;
      to.flags[bin] = total.flags | not_small_flag(scale_, total.limbs[0], small);
    });
  }

 private:
  static constexpr index_t words = index_t{fixed_point<W>::limbs} * 2;

  /// What a thread has learnt of the weights, in a cache line for itself.
  struct alignas(64) thread_facts {
    W largest = 0;
    index_t small = 0;
  };

  /// Calls f(bin), from several threads if there are many bins.
  template <class Function>
  void for_each_bin(const Function& f) const {
    run_parallel(bins_ < 4096 ? 1 : threads_, [&](int part, int parts) {
      const share mine = share_of(bins_, part, parts);
      for (index_t bin = mine.begin; bin < mine.end; ++bin) f(bin);
    });
  }

  /// Adds all weights at scale_.
  void add_all() {
    const scratch<thread_facts> facts(threads_);
    used_ = 1;  // fewer than requested if OpenMP provides no more
    run_parallel(threads_, [&](int part, int parts) {
      if (part == 0) used_ = parts;
      sums_.clear(part);
      facts.data()[part] = add_share(share_of(size_, part, parts), sums_.row(part));
    });
    largest_ = 0;
    small_ = 0;
    for (int thread = 0; thread < used_; ++thread) {
      largest_ = std::max(largest_, facts.data()[thread].largest);
      small_ += facts.data()[thread].small;
    }
  }

  thread_facts add_share(share mine, const sums_row<W>& row) const {
    const auto none = static_cast<std::uint32_t>(bins_);
    const bool fast = terms_ >= min_fast_weights;
    thread_facts all;
    for_each_block(
        rule_, x_, mine.begin, mine.end, [&](index_t first, int count, const std::uint32_t* bins) {
          const strided_values<W> of = weights_from(first);
          block_parts<W> parts;
          const weight_facts<W> facts = fast
                                            ? split_block_fast(scale_, of, bins, none, count, parts)
                                            : split_block(scale_, of, bins, none, count, parts);
          row.add(bins, count, parts);
          if (!facts.finite) row.add_flags(bins, count, of);
          all.largest = std::max(all.largest, facts.largest);
          if (!(facts.least < scale_.small_limit())) return;
          all.small += row.add_small(bins, none, count, of, scale_);
        });
    return all;
  }

  strided_values<W> weights_from(index_t first) const {
    return {weights_.data + first * weights_.stride, weights_.stride};
  }

  bool may_have_small_bins() const {
    std::atomic<bool> any = false;
    for_each_bin([&](index_t bin) {
      if (sums_.total(bin, used_).may_be_small(scale_, small_))
        any.store(true, std::memory_order_relaxed);
    });
    return any;
  }

  /// Stores the sums if bins may need scales for themselves.
  void store_in_two_steps(W* result, bool adds) {
    const scratch<W> kept(bins_);     // the sums at scale_
    const scratch<W> largest(bins_);  // the largest weights of those bins, -1 for others
    std::atomic<index_t> candidates = 0;
    for_each_bin([&](index_t bin) {
      const bin_total<W> total = sums_.total(bin, used_);
      kept.data()[bin] = total.value(scale_);
      const bool is_candidate = total.may_be_small(scale_, small_);
      largest.data()[bin] = is_candidate ? W{0} : W{-1};
      if (is_candidate) candidates.fetch_add(1, std::memory_order_relaxed);
    });
    find_largest(largest.data(), candidates);
    if (candidates != 0) add_again(largest.data());
    for_each_bin([&](index_t bin) {
      const W own = largest.data()[bin];
      const W sum =
          own < 0 ? kept.data()[bin] : sums_.total(bin, used_).value(fixed_point<W>(own, terms_));
      store_sum(result[bin], sum, adds);
    });
  }

  /// Raises largest[bin] to the largest weight of each candidate, a bin in which it is not
  /// negative, or makes it -1 if that weight is not small. Mostly the first block of weights leaves
  /// no candidate, and then the search ends.
  void find_largest(W* largest, std::atomic<index_t>& candidates) const {
    const auto inspect = [&](std::uint32_t bin, W w) {
      const W magnitude = tandem::abs(w);
      const bool is_small = magnitude < scale_.small_limit();
      const W found = is_small ? magnitude : W{-1};
      const std::atomic_ref<W> known(largest[bin]);
      W before = known.load(std::memory_order_relaxed);
      while (before >= 0 && (!is_small || before < magnitude)) {
        if (!known.compare_exchange_weak(before, found, std::memory_order_relaxed)) continue;
        if (!is_small) candidates.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
    };
    run_parallel(threads_, [&](int part, int parts) {
      const share mine = share_of(size_, part, parts);
      for (index_t begin = mine.begin; begin < mine.end; begin += histogram_block) {
        if (candidates.load(std::memory_order_relaxed) == 0) return;
        for_each_weight({begin, std::min(begin + histogram_block, mine.end)}, inspect);
      }
    });
  }

  /// Adds the weights of bins that need scales for themselves.
  void add_again(const W* largest) {
    run_parallel(threads_, [&](int part, int parts) {
      if (part == 0) used_ = parts;
      sums_.clear(part);
      const sums_row<W> row = sums_.row(part);
      for_each_weight(share_of(size_, part, parts), [&](std::uint32_t bin, W w) {
        if (largest[bin] < 0) return;
        std::uint64_t parts_of[fixed_point<W>::limbs];
        fixed_point<W>(largest[bin], terms_).split(w, parts_of);
        for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
          row.sums[std::size_t{bin} * fixed_point<W>::limbs + limb] += parts_of[limb];
      });
    });
  }

  /// Calls f(bin, weight) for each weight with a bin.
  template <class Function>
  void for_each_weight(share mine, const Function& f) const {
    const auto none = static_cast<std::uint32_t>(bins_);
    for_each_block(rule_, x_, mine.begin, mine.end,
                   [&](index_t first, int count, const std::uint32_t* bins) {
                     const strided_values<W> of = weights_from(first);
                     for (int i = 0; i < count; ++i) {
                       if (bins[i] != none) f(bins[i], of[i]);
                     }
                   });
  }

  strided_values<typename Rule::value_type> x_;
  strided_values<W> weights_;
  index_t size_;
  index_t terms_;
  const Rule& rule_;
  index_t bins_;
  int threads_;
  fixed_point<W> scale_;
  bool scale_is_known_;
  private_sums<W> sums_;
  int used_ = 0;
  W largest_ = 0;
  index_t small_ = 0;  // small weights with bins
};

}  // namespace tandem::openmp_impl
