// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/contract/histogram_sums.hpp>
#include <tandem/core/contract/term_loaders.hpp>

#include <cstdint>

/// Sums of weights, private to each thread, in the fixed point of core/contract/histogram_sums.hpp.
namespace tandem::openmp_impl {

/// The sum of a bin so far.
template <class W>
struct partial_sum {
  std::uint64_t limbs[fixed_point<W>::limbs];
  std::uint32_t flags;

  void add(const fixed_point<W>& scale, W w) {
    const std::uint32_t flag = classify_weight(w);
    if (flag != weight_is_finite) {
      flags |= flag;
      return;
    }
    std::uint64_t parts[fixed_point<W>::limbs];
    scale.split(w, parts);
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb) limbs[limb] += parts[limb];
  }
  void add(const partial_sum& other) {
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb)
      limbs[limb] += other.limbs[limb];
    flags |= other.flags;
  }
  W value(const fixed_point<W>& scale) const {
    return flags == weight_is_finite ? scale.join(limbs) : sum_of_flags<W>(flags);
  }
};

/// The private sums of all threads, one row per thread, at least a cache line apart.
template <class W>
class private_sums {
 public:
  private_sums(int threads, index_t bins) : bins_(bins), sums_(threads * pitch()) {}

  partial_sum<W>* row(int thread) const { return sums_.data() + thread * pitch(); }
  void clear(int thread) const {
    for (index_t bin = 0; bin < bins_; ++bin) row(thread)[bin] = {};
  }

 private:
  index_t pitch() const { return bins_ + 8; }

  index_t bins_;
  scratch<partial_sum<W>> sums_;
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

/// Computes result[b], the sum of the weights of the elements that fall into bin b.
template <class W, class Rule>
void sum_weights(const openmp& space, const strided_values<typename Rule::value_type>& x,
                 const strided_values<W>& weights, index_t size, const Rule& rule, W* result) {
  constexpr index_t words = sizeof(partial_sum<W>) / sizeof(std::uint32_t);
  const auto bins = static_cast<index_t>(rule.bins());
  const fixed_point<W> scale = find_scale(space, weights, size);
  const int threads = useful_histogram_threads(space.threads(), size, bins * words);
  const private_sums<W> sums(threads, bins);
  int used = 0;  // fewer than wanted where OpenMP provides no more
  run_parallel(threads, [&](int part, int parts) {
    if (part == 0) used = parts;
    const share mine = share_of(size, part, parts);
    partial_sum<W>* const row = sums.row(part);
    sums.clear(part);
    for_each_block(rule, x, mine.begin, mine.end,
                   [&](index_t first, int count, const std::uint32_t* block) {
                     for (int i = 0; i < count; ++i) {
                       if (block[i] < rule.bins()) row[block[i]].add(scale, weights[first + i]);
                     }
                   });
  });
  run_parallel(bins < 4096 ? 1 : threads, [&](int part, int parts) {
    const share mine = share_of(bins, part, parts);
    for (index_t bin = mine.begin; bin < mine.end; ++bin) {
      partial_sum<W> total = sums.row(0)[bin];
      for (int thread = 1; thread < used; ++thread) total.add(sums.row(thread)[bin]);
      result[bin] = total.value(scale);
    }
  });
}

}  // namespace tandem::openmp_impl
