// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/table.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/core/contract/histogram_bins.hpp>

#include <cstdint>

/// Finds the bins of a block of values before it counts any: one loop vectorises, the other cannot.
namespace tandem::openmp_impl {

/// Elements of x or of the weights, with any stride.
template <class T>
struct strided_values {
  const T* data;
  index_t stride;

  T operator[](index_t i) const { return data[i * stride]; }
};

/// Returns the bin of one integer, or the number of bins if it has none.
template <class T, class Index>
std::uint32_t bin_of(const integer_bin_rule<T, Index>& rule, T x) {
  const Index bin = rule.guess(x).bin;
  return static_cast<std::uint32_t>(bin < rule.bins() ? bin : rule.bins());
}

/// Writes the bin of each of `count` values, or the number of bins if it has none.
template <class T, class Index>
void find_bins(const integer_bin_rule<T, Index>& rule, const T* x, int count, std::uint32_t* bins) {
  for (int i = 0; i < count; ++i) bins[i] = bin_of(rule, x[i]);
}

/// Finds bins by binary search, several values in lockstep, so that their loads overlap.
template <class T>
void find_bins(const edge_bin_rule<T>& rule, const T* x, int count, std::uint32_t* bins) {
  constexpr int group = 16;
  const T* const edges = rule.edges();
  const std::uint32_t none = rule.bins();
  const T lowest = edges[0];
  const T highest = edges[none];
  for (int first = 0; first < count; first += group) {
    const int last = count - first < group ? count : first + group;
    for (int i = first; i < last; ++i) bins[i] = 0;
    for (std::uint32_t left = none; left > 1;) {  // as in edge_bin_rule::locate
      const std::uint32_t half = left / 2;
      for (int i = first; i < last; ++i)
        bins[i] += static_cast<std::uint32_t>(x[i] >= edges[bins[i] + half]) * half;
      left -= half;
    }
    for (int i = first; i < last; ++i) bins[i] = x[i] >= lowest && x[i] <= highest ? bins[i] : none;
  }
}

/// Whether estimates pay: fewer than half of the blocks of uniformly distributed values contain an
/// uncertain one.
template <class T>
bool mostly_certain(const uniform_bin_rule<T>& rule) {
  return rule.numbers().certain >= T(0.5) - T(0.25) / histogram_block;
}

/// Estimates the bins of a block. Returns whether any is uncertain; those are marked.
template <class T>
bool estimate_block(const uniform_bin_rule<T>& rule, const T* x, int count, std::uint32_t* bins) {
  return best_kernels<histogram_kernels>().of<T>().estimate(
      rule.numbers(), static_cast<std::uint32_t>(rule.bins()), x, count, bins);
}

template <class T>
uniform_edges<T> uniform_edges_of(const uniform_bin_rule<T>& rule) {
  const auto end = static_cast<int>(rule.bins());
  const T lo = rule.edge(0);
  const T hi = rule.edge(end);
  const double step = (double{hi} - double{lo}) / end;
  return {lo,         hi,   rule.numbers().inverse,         rule.position_offset(0),
          double{lo}, step, static_cast<std::uint32_t>(end)};
}

/// Whether the rule's positions fit fixed point and comparisons with edges decide the uncertain
/// ones.
template <class T>
bool fixed_point_decides(const uniform_bin_rule<T>& rule) {
  constexpr T largest_inverse = sizeof(T) == 4 ? T(0x1p100) : T(0x1p1000);  // 2^16 times it fits
  return rule.nearest_edge_decides() && mostly_certain(rule) &&
         rule.numbers().inverse < largest_inverse;
}

/// Returns the numbers for a rule that satisfies fixed_point_decides(). Scaling by 2^16 is exact.
/// The error of a position is thus what rule.numbers().certain allows for, plus twice that of the
/// offset's second rounding; truncation, here and of positions, adds one unit each.
template <class T>
fixed_point_position<T> fixed_point_position_of(const uniform_bin_rule<T>& rule) {
  constexpr T unit = 65536;
  constexpr T roundoff = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);
  const uniform_edges<T> edges = uniform_edges_of(rule);
  const T offset = edges.offset * unit;
  const T error = (T(0.5) - rule.numbers().certain) * unit + 2 * roundoff * tandem::abs(offset);
  const auto margin = static_cast<std::uint16_t>(error + 3);
  return {edges.inverse * unit,
          offset - margin,
          T(-0.5) * unit,
          (static_cast<T>(edges.bins) + T(0.5)) * unit,
          static_cast<std::uint16_t>(65536 - 2 * margin),
          edges};
}

/// Finds bins by estimates, or by the nearest edges if an estimate is uncertain or estimates do not
/// pay. If edges do not decide, uncertain values are located one by one.
template <class T>
void find_bins(const uniform_bin_rule<T>& rule, const T* x, int count, std::uint32_t* bins) {
  const bool edges_decide = rule.nearest_edge_decides();
  if (edges_decide && !mostly_certain(rule))
    return best_kernels<histogram_kernels>().of<T>().compare(uniform_edges_of(rule), x, count,
                                                             bins);
  if (!estimate_block(rule, x, count, bins)) return;
  if (edges_decide)
    return best_kernels<histogram_kernels>().of<T>().compare(uniform_edges_of(rule), x, count,
                                                             bins);
  const auto none = static_cast<std::uint32_t>(rule.bins());
  for (int i = 0; i < count; ++i) {
    if (bins[i] != none + 1) continue;
    const index_t bin = rule.locate(x[i]);
    bins[i] = bin == no_bin ? none : static_cast<std::uint32_t>(bin);
  }
}

/// Calls f(first, count, bins) for each block of the elements begin .. end - 1 of x.
template <class Rule, class Function>
void for_each_block(const Rule& rule, const strided_values<typename Rule::value_type>& x,
                    index_t begin, index_t end, const Function& f) {
  std::uint32_t bins[histogram_block];
  typename Rule::value_type gathered[histogram_block];
  for (index_t first = begin; first < end; first += histogram_block) {
    const int count =
        end - first < histogram_block ? static_cast<int>(end - first) : histogram_block;
    const auto* values = x.data + first;
    if (x.stride != 1) {
      for (int i = 0; i < count; ++i) gathered[i] = x[first + i];
      values = gathered;
    }
    find_bins(rule, values, count, bins);
    f(first, count, bins);
  }
}

}  // namespace tandem::openmp_impl
