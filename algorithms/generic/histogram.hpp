// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/atomic.hpp>
#include <tandem/core/contract/histogram_bins.hpp>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/numbers/fixed_point.hpp>
#include <tandem/core/range.hpp>

#include <cstdint>

/// Histograms built on a backend's required operations. Backends without a dispatch_histogram run
/// them, and they are the simplest specification of the results of the others.
namespace tandem::detail {

/// Elements at a constant `stride` in the space's memory.
template <class T>
struct strided_line {
  const T* data;
  index_t size;
  index_t stride;

  TANDEM_FUNCTION T operator[](index_t i) const { return load_constant(data + i * stride); }
};

/// Spaces that run everything on one thread declare it here; they need no atomics.
template <class Space>
inline constexpr bool runs_on_one_thread = requires { requires Space::one_thread; };

/// x += v, for integers.
template <bool OneThread, class T>
TANDEM_FUNCTION inline void add_to(T& x, T v) {
  if constexpr (OneThread) {
    x = static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(v));
  } else {
    atomic_add(x, v);
  }
}

/// Sets element i to zero.
template <class T>
struct clear_element {
  T* data;

  TANDEM_FUNCTION void operator()(index_t i) const { data[i] = T{}; }
};

/// Counts element i of x.
template <class Rule, class Count, bool OneThread>
struct count_element {
  strided_line<typename Rule::value_type> x;
  Rule rule;
  Count* counts;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const index_t bin = rule.locate(x[i]);
    if (bin != no_bin) add_to<OneThread>(counts[bin], Count{1});
  }
};

/// Computes counts[b], the number of elements of x that fall into bin b.
template <class Space, class Rule, class Count>
void count_generically(const Space& space, strided_line<typename Rule::value_type> x,
                       const Rule& rule, Count* counts) {
  dispatch_for(space, "histogram", range{0, static_cast<index_t>(rule.bins())},
               clear_element<Count>{counts});
  dispatch_for(space, "histogram", range{0, x.size},
               count_element<Rule, Count, runs_on_one_thread<Space>>{x, rule, counts});
}

/// Weighted sums in progress: the limbs of each bin side by side, and flags for weights that are
/// not finite.
template <class W>
struct partial_sums {
  std::uint64_t* limbs;
  std::uint32_t* flags;
  // One, in the space's memory: these values are known only after a kernel has read all weights.
  fixed_point<W>* scale;
};

/// Stores the scale at index 0.
template <class W>
struct find_scale {
  const W* largest;
  index_t terms;
  fixed_point<W>* scale;

  TANDEM_FUNCTION void operator()(index_t) const { *scale = fixed_point<W>(*largest, terms); }
};

/// Adds weight i to the bin of element i of x.
template <class Rule, class W, bool OneThread>
struct add_weight {
  strided_line<typename Rule::value_type> x;
  strided_line<W> weights;
  Rule rule;
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t i) const {
    constexpr std::size_t limbs = fixed_point<W>::limbs;
    const index_t bin = rule.locate(x[i]);
    if (bin == no_bin) return;
    const W w = weights[i];
    const std::uint32_t flag = classify_weight(w);
    if (flag != weight_is_finite) {
      atomic_or(sums.flags[bin], flag);
      return;
    }
    std::uint64_t parts[limbs];
    sums.scale->split(w, parts);
    std::uint64_t* const sum = sums.limbs + static_cast<std::size_t>(bin) * limbs;
    for (std::size_t limb = 0; limb < limbs; ++limb) add_to<OneThread>(sum[limb], parts[limb]);
  }
};

/// Stores the sum of bin b in result[b], or adds it there.
template <class W>
struct finish_sum {
  partial_sums<W> sums;
  W* result;
  bool adds;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    constexpr std::size_t limbs = fixed_point<W>::limbs;
    if (sums.flags[bin] != weight_is_finite)
      return store_sum(result[bin], sum_of_flags<W>(sums.flags[bin]), adds);
    std::uint64_t parts[limbs];
    const std::uint64_t* const sum = sums.limbs + static_cast<std::size_t>(bin) * limbs;
    for (std::size_t limb = 0; limb < limbs; ++limb) parts[limb] = sum[limb];
    store_sum(result[bin], sums.scale->join(parts), adds);
  }
};

/// Sums the weights of the elements of x that fall into bin b, in fixed point, and stores the sum
/// in result[b] or adds it there.
template <class Space, class Rule, class W>
void sum_generically(const Space& space, strided_line<typename Rule::value_type> x,
                     const Rule& rule, strided_line<W> weights, W* result, bool adds = false) {
  const auto bins = static_cast<index_t>(rule.bins());
  array<std::uint64_t, 1, Space, layout_right> limbs(
      extents<1>(bins * index_t{fixed_point<W>::limbs}), 0, space);
  array<std::uint32_t, 1, Space, layout_right> flags(extents<1>(bins), 0, space);
  array<W, 1, Space, layout_right> largest(extents<1>(1), space);
  array<fixed_point<W>, 1, Space, layout_right> scale(extents<1>(1), space);
  const strided_load<W, largest_finite<W>> load{weights.data, weights.stride, {}};
  dispatch_reduce_into(space, "histogram", weights.size, load, largest_finite<W>{},
                       largest.data_handle());
  dispatch_for(space, "histogram", range{0, 1},
               find_scale<W>{largest.data_handle(), weights.size, scale.data_handle()});

  const partial_sums<W> sums{limbs.data_handle(), flags.data_handle(), scale.data_handle()};
  dispatch_for(space, "histogram", range{0, x.size},
               add_weight<Rule, W, runs_on_one_thread<Space>>{x, weights, rule, sums});
  dispatch_for(space, "histogram", range{0, bins}, finish_sum<W>{sums, result, adds});
}

}  // namespace tandem::detail
