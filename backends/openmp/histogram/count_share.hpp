// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/histogram/private_counts.hpp>

#include <cstdint>

/// How a thread counts its share of the values.
namespace tandem::openmp_impl {

/// count_bins for `count` contiguous values, which add(words, i) reads.
template <class T, class Add>
void count_line(const word_counters counters, const T* values, index_t count, const Add add) {
  constexpr auto line = static_cast<index_t>(64 / sizeof(T));
  index_t i = 0;
  for (; i + line <= count; i += line) {
    // An address that may lie beyond the array, which is asked for and not read.
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values + i) +
                                                     histogram_ahead * sizeof(T)));
    count_bins(counters, line, [=](std::uint32_t* words, index_t k) { add(words, i + k); });
  }
  count_bins(counters, count - i, [=](std::uint32_t* words, index_t k) { add(words, i + k); });
}

/// Counts the elements begin to end - 1 of x in words, a block at a time; values without a bin in
/// the spare one at the end of each copy.
template <class Rule>
void count_blocks(const private_counts& counts, int thread, const Rule& rule,
                  const histogram_line<typename Rule::value_type>& x, index_t begin, index_t end) {
  const word_counters counters = counts.words(thread);
  for_each_block(rule, x, begin, end, [=](index_t first, int count, const std::uint32_t* bins) {
    const auto add = [bins](std::uint32_t* words, index_t i) { ++words[bins[i]]; };
    if (x.stride == 1) {
      count_line(counters, x.data + first, count, add);
    } else {
      count_bins(counters, count, add);
    }
  });
}

/// Counts the elements begin to end - 1 of x in a thread's bins.
template <class Rule>
void count_share(const private_counts& counts, int thread, const Rule& rule,
                 const histogram_line<typename Rule::value_type>& x, index_t begin, index_t end) {
  count_blocks(counts, thread, rule, x, begin, end);
}
template <class T>
void count_share(const private_counts& counts, int thread, const uniform_bin_rule<T>& rule,
                 const histogram_line<T>& x, index_t begin, index_t end) {
  if (counts.kind() == counted_in::pairs)
    begin += usable_guess_kernels().of<T>().pairs(position_numbers_of(rule), counts.pairs(thread),
                                                  x.data + begin, end - begin);
  count_blocks(counts, thread, rule, x, begin, end);
}

/// Whether there are kernels for contiguous integers of a rule.
template <class Rule>
inline constexpr bool has_count_kernels = false;
template <class T>
inline constexpr bool has_count_kernels<integer_bin_rule<T, std::uint32_t>> = sizeof(T) == 4;

/// Whether there are kernels for pairs of contiguous values of a rule.
template <class Rule>
bool has_pairs(const Rule& rule) {
  return has_count_kernels<Rule> && rule.bins() <= histogram_pair_bins;
}
template <class T>
bool has_pairs(const uniform_bin_rule<T>& rule) {
  return rule.bins() < histogram_pair_bins && positions_decide(rule);  // and one number for no bin
}

/// What each of `threads` threads should count `size` values in.
template <class Rule>
counted_in best_counters(const Rule& rule, const histogram_line<typename Rule::value_type>& x,
                         index_t size, int threads) {
  if (x.stride != 1) return counted_in::words;
  if (has_count_kernels<Rule> && rule.bins() >= histogram_byte_bins) return counted_in::bytes;
  const bool pays = size / threads >= histogram_pair_values;
  return pays && has_pairs(rule) ? counted_in::pairs : counted_in::words;
}

/// Counts `count` contiguous integers by kernels.
template <class T>
void count_by_kernels(const private_counts& counts, int thread,
                      const integer_bin_rule<T, std::uint32_t>& rule, const T* values,
                      index_t count) {
  const auto* const numbers = reinterpret_cast<const std::uint32_t*>(values);
  const std::uint32_t first = 0 - rule.guess(T{0}).bin;
  const count_kernels& kernels = usable_count_kernels();
  switch (counts.kind()) {
    case counted_in::words:
      return kernels.words(counts.words(thread), numbers, count, first, rule.bins());
    case counted_in::bytes:
      return kernels.bytes(counts.bytes(thread), numbers, count, first, rule.bins());
    case counted_in::pairs:
      return kernels.pairs(counts.pairs(thread), numbers, count, first, rule.bins());
  }
}

/// Counts `count` contiguous integers. A branch rather than a spare bin: it is predicted where
/// values have bins, 0.25 ns a value where a select takes 0.37 (256 bins, one core of an AMD EPYC
/// Zen 5, 2026-11). Bins from zero on need no subtraction.
template <class T, class Index>
void count_integers(const word_counters counters, const integer_bin_rule<T, Index>& rule,
                    const T* values, index_t count) {
  const Index bins = rule.bins();
  const Index first = static_cast<Index>(Index{0} - rule.guess(T{0}).bin);
  if (first == 0) {
    count_line(counters, values, count, [bins, values](std::uint32_t* words, index_t i) {
      const auto bin = static_cast<Index>(values[i]);
      if (bin < bins) ++words[bin];
    });
  } else {
    count_line(counters, values, count, [bins, first, values](std::uint32_t* words, index_t i) {
      const auto bin = static_cast<Index>(static_cast<Index>(values[i]) - first);
      if (bin < bins) ++words[bin];
    });
  }
}

/// The bin of an integer is found as fast as it is stored and loaded again.
template <class T, class Index>
void count_share(const private_counts& counts, int thread, const integer_bin_rule<T, Index>& rule,
                 const histogram_line<T>& x, index_t begin, index_t end) {
  if (x.stride == 1) {
    if constexpr (has_count_kernels<integer_bin_rule<T, Index>>) {
      count_by_kernels(counts, thread, rule, x.data + begin, end - begin);
    } else {
      count_integers(counts.words(thread), rule, x.data + begin, end - begin);
    }
    return;
  }
  const histogram_line<T> line = {x.data + begin * x.stride, x.stride};
  count_bins(counts.words(thread), end - begin, [rule, line](std::uint32_t* words, index_t i) {
    const Index bin = rule.guess(line[i]).bin;
    if (bin < rule.bins()) ++words[bin];
  });
}

}  // namespace tandem::openmp_impl
