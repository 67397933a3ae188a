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

/// x |= v.
template <bool OneThread>
TANDEM_FUNCTION inline void or_to(std::uint32_t& x, std::uint32_t v) {
  if constexpr (OneThread) {
    x |= v;
  } else {
    atomic_or(x, v);
  }
}

/// Weighted sums in progress: the limbs of each bin side by side, and the weight_flags of its
/// weights.
template <class W>
struct partial_sums {
  std::uint64_t* limbs;
  std::uint32_t* flags;
  W* largest;  ///< the largest weight of each bin that needs a scale for itself
  // One of each, in the space's memory: known only after a kernel has read all weights.
  fixed_point<W>* scale;
  std::uint32_t* any_has_own_scale;

  TANDEM_FUNCTION std::uint64_t* of(index_t bin) const {
    return limbs + bin * index_t{fixed_point<W>::limbs};
  }
  /// Whether the bin needs a scale for itself: all of its weights are small or zero.
  TANDEM_FUNCTION bool has_own_scale(index_t bin) const { return flags[bin] == weight_is_small; }
};

/// The weights as terms of a reduction to the largest finite magnitude: 0 for one without a bin.
template <class Rule, class W>
struct counted_magnitude {
  strided_line<typename Rule::value_type> x;
  strided_line<W> weights;
  Rule rule;

  TANDEM_FUNCTION W operator()(index_t i) const {
    return rule.locate(x[i]) == no_bin ? W{0} : largest_finite<W>{}.lift(weights[i], i);
  }
};

/// What a space has found besides the sums.
template <class W>
struct sum_report {
  W largest;                   ///< finite magnitude of a weight with a bin
  std::uint32_t any_is_small;  ///< whether a bin may need a scale for itself
};

/// Stores the scale at index 0.
template <class W>
struct find_scale {
  index_t terms;
  fixed_point<W>* scale;
  sum_report<W>* report;  ///< its largest magnitude gives the scale

  TANDEM_FUNCTION void operator()(index_t) const {
    *scale = fixed_point<W>(report->largest, terms);
    report->any_is_small = 0;
  }
};

/// Stores a scale that the host knows at index 0, and a report of nothing.
template <class W>
struct store_scale {
  fixed_point<W> known;
  fixed_point<W>* scale;
  sum_report<W>* report;

  TANDEM_FUNCTION void operator()(index_t) const {
    *scale = known;
    *report = {0, 0};
  }
};

/// Clears the sum of bin b.
template <class W>
struct clear_sum {
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb) sums.of(bin)[limb] = 0;
    sums.flags[bin] = weight_is_finite;
  }
};

/// Adds a finite weight to a bin.
template <bool OneThread, class W>
TANDEM_FUNCTION void add_parts(const partial_sums<W>& sums, const fixed_point<W>& scale,
                               index_t bin, W w) {
  constexpr std::size_t limbs = fixed_point<W>::limbs;
  std::uint64_t parts[limbs];
  scale.split(w, parts);
  for (std::size_t limb = 0; limb < limbs; ++limb)
    add_to<OneThread>(sums.of(bin)[limb], parts[limb]);
}

/// Adds weight i to the bin of element i of x.
template <class Rule, class W, bool OneThread>
struct add_weight {
  strided_line<typename Rule::value_type> x;
  strided_line<W> weights;
  Rule rule;
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const index_t bin = rule.locate(x[i]);
    if (bin == no_bin) return;
    const W w = weights[i];
    const std::uint32_t flag = classify_weight(w);
    if (flag != weight_is_finite) return or_to<OneThread>(sums.flags[bin], flag);
    if (w == 0) return;
    const bool is_small = sums.scale->is_small(w);
    or_to<OneThread>(sums.flags[bin], is_small ? weight_is_small : weight_is_not_small);
    add_parts<OneThread>(sums, *sums.scale, bin, w);
  }
};

/// Clears the sum of bin b if it needs a scale for itself.
template <class W, bool OneThread>
struct clear_small_bin {
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    if (!sums.has_own_scale(bin)) return;
    for (std::size_t limb = 0; limb < fixed_point<W>::limbs; ++limb) sums.of(bin)[limb] = 0;
    or_to<OneThread>(*sums.any_has_own_scale, 1);
  }
};

/// Finds the largest weights of the bins that need scales for themselves.
template <class Rule, class W>
struct find_largest {
  counted_magnitude<Rule, W> magnitude;
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t i) const {
    if (*sums.any_has_own_scale == 0) return;
    const index_t bin = magnitude.rule.locate(magnitude.x[i]);
    if (bin != no_bin && sums.has_own_scale(bin)) atomic_max(sums.largest[bin], magnitude(i));
  }
};

/// Adds weight i to its bin if that has a scale for itself.
template <class Rule, class W, bool OneThread>
struct add_again {
  strided_line<typename Rule::value_type> x;
  strided_line<W> weights;
  Rule rule;
  partial_sums<W> sums;
  index_t terms;

  TANDEM_FUNCTION void operator()(index_t i) const {
    if (*sums.any_has_own_scale == 0) return;
    const index_t bin = rule.locate(x[i]);
    if (bin == no_bin || !sums.has_own_scale(bin)) return;
    add_parts<OneThread>(sums, fixed_point<W>(sums.largest[bin], terms), bin, weights[i]);
  }
};

/// Stores the sum of bin b in result[b], or adds it there.
template <class W>
struct finish_sum {
  partial_sums<W> sums;
  index_t terms;
  W* result;
  bool adds;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    constexpr std::size_t limbs = fixed_point<W>::limbs;
    const std::uint32_t flags = sums.flags[bin] & flags_of_no_integer;
    if (flags != weight_is_finite) return store_sum(result[bin], sum_of_flags<W>(flags), adds);
    std::uint64_t parts[limbs];
    for (std::size_t limb = 0; limb < limbs; ++limb) parts[limb] = sums.of(bin)[limb];
    const W sum = sums.has_own_scale(bin) ? fixed_point<W>(sums.largest[bin], terms).join(parts)
                                          : sums.scale->join(parts);
    store_sum(result[bin], sum, adds);
  }
};

/// Offsets in bytes of the limbs of all bins, the sum_report and the flags of the bins, in memory
/// that one copy moves.
template <class W>
struct sums_layout {
  index_t report;
  index_t flags;
  index_t end;

  explicit sums_layout(index_t bins)
      : report(bins * index_t{sizeof(std::uint64_t) * fixed_point<W>::limbs}),
        flags(report + index_t{sizeof(sum_report<W>)}),
        end(round_up(flags + bins * index_t{sizeof(std::uint32_t)}, index_t{8})) {}

  TANDEM_FUNCTION static const std::uint64_t* limbs_in(const unsigned char* bytes) {
    return reinterpret_cast<const std::uint64_t*>(bytes);
  }
  TANDEM_FUNCTION const sum_report<W>* report_in(const unsigned char* bytes) const {
    return reinterpret_cast<const sum_report<W>*>(bytes + report);
  }
  TANDEM_FUNCTION const std::uint32_t* flags_in(const unsigned char* bytes) const {
    return reinterpret_cast<const std::uint32_t*>(bytes + flags);
  }
};

/// The weighted sums of a space in steps, between which those of several spaces may be combined:
/// sums, flags and largest weights are the same in any order. `terms` counts all of their terms.
template <class Space, class Rule, class W>
class weighted_sums {
 public:
  using line = strided_line<typename Rule::value_type>;
  using weight_line = strided_line<W>;

  weighted_sums(const Space& space, const char* label, const Rule& rule, index_t terms)
      : places(static_cast<index_t>(rule.bins())),
        bytes(extents<1>(places.end), space),
        space_(space),
        label_(label),
        rule_(rule),
        terms_(terms),
        scale_(extents<1>(1), space) {}

  /// Finds the largest magnitude of the weights that are counted.
  void find_largest(const line& x, const weight_line& weights) {
    dispatch_reduce_into(space_, label_, x.size, counted_magnitude<Rule, W>{x, weights, rule_},
                         largest_finite<W>{}, &report()->largest);
  }
  /// Makes the scale of that magnitude.
  void set_scale() {
    dispatch_for(space_, label_, range{0, 1},
                 find_scale<W>{terms_, scale_.data_handle(), report()});
  }
  /// Makes the scale of a magnitude that the host knows, and starts a report.
  void set_scale(W most) {
    dispatch_for(space_, label_, range{0, 1},
                 store_scale<W>{fixed_point<W>(most, terms_), scale_.data_handle(), report()});
  }
  void clear() { dispatch_for(space_, label_, bins(), clear_sum<W>{sums()}); }
  void add(const line& x, const weight_line& weights) {
    dispatch_for(space_, label_, range{0, x.size},
                 add_weight<Rule, W, one_thread>{x, weights, rule_, sums()});
  }
  /// Makes room for the largest weights of bins that need scales for themselves.
  void start_small() {
    largest = array<W, 1, Space, layout_right>(extents<1>(bins().end), W{0}, space_);
  }
  /// Clears the sums of these bins.
  void clear_small() {
    dispatch_for(space_, label_, bins(), clear_small_bin<W, one_thread>{sums()});
  }
  /// Finds the largest weights of these bins.
  void find_largest_of_small(const line& x, const weight_line& weights) {
    dispatch_for(space_, label_, range{0, x.size},
                 tandem::detail::find_largest<Rule, W>{{x, weights, rule_}, sums()});
  }
  /// Adds their weights again.
  void add_small(const line& x, const weight_line& weights) {
    dispatch_for(space_, label_, range{0, x.size},
                 add_again<Rule, W, one_thread>{x, weights, rule_, sums(), terms_});
  }
  /// Stores the sum of bin b in result[b], or adds it there.
  void finish(W* result, bool adds) {
    dispatch_for(space_, label_, bins(), finish_sum<W>{sums(), terms_, result, adds});
  }

  /// The integers as a backend stores them.
  histogram_problem::integer_sums integers() {
    return {sums().limbs, sums().flags, &report()->largest};
  }
  partial_sums<W> sums() {
    unsigned char* const at = bytes.data_handle();
    return {reinterpret_cast<std::uint64_t*>(at),
            reinterpret_cast<std::uint32_t*>(at + places.flags), largest.data_handle(),
            scale_.data_handle(), &report()->any_is_small};
  }

  const sums_layout<W> places;
  array<unsigned char, 1, Space, layout_right> bytes;  ///< one copy moves all of it
  array<W, 1, Space, layout_right> largest;

 private:
  static constexpr bool one_thread = runs_on_one_thread<Space>;

  range bins() const { return {0, static_cast<index_t>(rule_.bins())}; }
  sum_report<W>* report() {
    return reinterpret_cast<sum_report<W>*>(bytes.data_handle() + places.report);
  }

  const Space& space_;
  const char* label_;
  Rule rule_;
  index_t terms_;
  array<fixed_point<W>, 1, Space, layout_right> scale_;
};

/// Sums the weights of the elements of x that fall into bin b, in fixed point, and stores the sum
/// in result[b] or adds it there. The sum has `terms` terms, x.size unless it is the sum of more,
/// and then `largest` points to the magnitude that gives the scale.
template <class Space, class Rule, class W>
void sum_generically(const Space& space, strided_line<typename Rule::value_type> x,
                     const Rule& rule, strided_line<W> weights, W* result, bool adds, index_t terms,
                     const W* largest) {
  weighted_sums<Space, Rule, W> sums(space, "histogram", rule, terms);
  sums.clear();
  if (largest == nullptr) {
    sums.find_largest(x, weights);
    sums.set_scale();
  } else {
    sums.set_scale(*largest);
  }
  sums.add(x, weights);
  sums.start_small();
  sums.clear_small();
  sums.find_largest_of_small(x, weights);
  sums.add_small(x, weights);
  sums.finish(result, adds);
}
template <class Space, class Rule, class W>
void sum_generically(const Space& space, strided_line<typename Rule::value_type> x,
                     const Rule& rule, strided_line<W> weights, W* result, bool adds = false) {
  const W* const unknown = nullptr;
  sum_generically(space, x, rule, weights, result, adds, x.size, unknown);
}

}  // namespace tandem::detail
