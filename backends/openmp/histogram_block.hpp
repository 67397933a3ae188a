// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram_guess.hpp>
#include <tandem/core/histogram_bins.hpp>

#include <cstdint>

/// The bins of a block of values, found before any is counted: a loop that vectorises, apart from
/// one that cannot.
namespace tandem::openmp_impl {

/// Values of a block. Their bins fill 4 KiB of L1; a block of 512 or 2048 was as fast.
inline constexpr int histogram_block = 1024;

/// Elements of x or of weights, any stride.
template <class T>
struct histogram_line {
  const T* data;
  index_t stride;

  T operator[](index_t i) const { return data[i * stride]; }
};

/// The bin of one integer, or the number of bins if it has none.
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

/// Searches for several values at once, step by step, so that a processor has other loads to do
/// while it waits for one.
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

/// By guesses, of which the doubtful ones are looked at one by one.
template <class T>
bool guess_block(const uniform_bin_rule<T>& rule, const T* x, int count, std::uint32_t* bins) {
  const auto estimate = rule.numbers();
  const guess_numbers<T> numbers = {estimate.inverse, estimate.offset, estimate.certain,
                                    static_cast<std::uint32_t>(rule.bins())};
  const guess_kernels& kernels = usable_guess_kernels();
  if constexpr (sizeof(T) == 4) {
    return kernels.f32(numbers, x, count, bins);
  } else {
    return kernels.f64(numbers, x, count, bins);
  }
}

/// By the nearest edges, where those decide.
inline void compare_block(const uniform_bin_rule<float>& rule, const float* x, int count,
                          std::uint32_t* bins) {
  const auto end = static_cast<int>(rule.bins());
  const float lo = rule.edge(0);
  const float hi = rule.edge(end);
  const double step = (double{hi} - double{lo}) / end;
  usable_guess_kernels().compare_f32(
      {lo, hi, rule.numbers().inverse, rule.position_offset(0), double{lo}, step, rule.bins()}, x,
      count, bins);
}

template <class T>
void find_bins(const uniform_bin_rule<T>& rule, const T* x, int count, std::uint32_t* bins) {
  if constexpr (sizeof(T) == 4) {
    // Guesses of which two or more in a block are doubtful, of even values, are not worth making.
    constexpr float sure = 0.5f - 1.0f / histogram_block;
    if (rule.nearest_edge_decides()) {
      if (rule.numbers().certain < sure || guess_block(rule, x, count, bins))
        compare_block(rule, x, count, bins);
      return;
    }
  }
  if (!guess_block(rule, x, count, bins)) return;
  const auto none = static_cast<std::uint32_t>(rule.bins());
  for (int i = 0; i < count; ++i) {
    if (bins[i] != none + 1) continue;
    const index_t bin = rule.locate(x[i]);
    bins[i] = bin == no_bin ? none : static_cast<std::uint32_t>(bin);
  }
}

/// Calls f(first, count, bins) for the blocks of the elements begin to end - 1 of x.
template <class Rule, class Function>
void for_each_block(const Rule& rule, const histogram_line<typename Rule::value_type>& x,
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

/// Threads to which to give work: a fork pays from some elements a thread on, and each thread's
/// private bins, of `words` words in all, are cleared and added up, which must not take longer than
/// the counting. So private bins never take more memory than a few times x.
inline int histogram_threads(int threads, index_t size, index_t words) {
  constexpr index_t fewest = 8192;  // 2.5 us at 0.3 ns an element; a fork takes 0.5 to 3.6 us
  const index_t worth = size / (words > fewest ? words : fewest);
  return worth < 1 ? 1 : worth < threads ? static_cast<int>(worth) : threads;
}

}  // namespace tandem::openmp_impl
