// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/backends/openmp/histogram/private_counts.hpp>

/// How many threads count, and with which counters.
namespace tandem::openmp_impl {

/// Returns how many of `threads` threads to use. Each needs enough elements to be worth waking, and
/// more elements than the `words` words of its private bins, which have to be cleared and added.
/// Private bins therefore never take more memory than a few times x.
inline int useful_histogram_threads(int threads, index_t size, index_t words) {
  constexpr index_t fewest = 8192;
  const index_t worth = size / (words > fewest ? words : fewest);
  return worth < 1 ? 1 : worth < threads ? static_cast<int>(worth) : threads;
}

/// Whether there are kernels for contiguous integers of a rule.
template <class Rule>
inline constexpr bool has_counter_kernels = false;
template <class T>
inline constexpr bool has_counter_kernels<integer_bin_rule<T, std::uint32_t>> = sizeof(T) == 4;

/// Whether there are kernels for pairs of contiguous values of a rule.
template <class Rule>
bool counts_pairs(const Rule& rule) {
  return has_counter_kernels<Rule> && rule.bins() <= histogram_pair_bins;
}
template <class T>
bool counts_pairs(const uniform_bin_rule<T>& rule) {
  return rule.bins() < histogram_pair_bins &&
         fixed_point_decides(rule);  // and one number for no bin
}

/// Returns the counters with which each of `threads` threads should count `size` values.
template <class Rule>
counter_kind choose_counters(const Rule& rule, const strided_values<typename Rule::value_type>& x,
                             index_t size, int threads) {
  if (x.stride != 1) return counter_kind::words;
  if (has_counter_kernels<Rule> && rule.bins() >= histogram_byte_bins) return counter_kind::bytes;
  const bool pays = size / threads >= histogram_pair_values;
  return pays && counts_pairs(rule) ? counter_kind::pairs : counter_kind::words;
}

}  // namespace tandem::openmp_impl
