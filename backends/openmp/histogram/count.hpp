// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/count_share.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>

#include <cstdint>

/// Counting with bins that are private to each thread.
namespace tandem::openmp_impl {

/// Adds the private counts to `result`, on several threads if that pays.
template <class Count>
void merge_counts(const private_counts& counts, int threads, int team, index_t bins,
                  Count* result) {
  const index_t parts = threads * bins / histogram_merged_words;
  run_parallel(parts < 2 ? 1 : team, [&](int part, int all) {
    const share mine = share_of(bins, part, all);
    for (int thread = 0; thread < threads; ++thread) {
      const std::uint32_t* const words = counts.row(thread, 0);
      for (index_t bin = mine.begin; bin < mine.end; ++bin)
        result[bin] += static_cast<Count>(words[bin]);
    }
  });
}

/// Counts the part of thread `part` of `parts` among the elements begin to end - 1. There is one
/// queue for each of `threads` threads, although OpenMP may have provided fewer.
template <class Rule>
struct counting_team {
  const private_counts& counts;
  const Rule& rule;
  const strided_values<typename Rule::value_type>& x;
  index_t begin;
  index_t end;
  work_queue* queues;
  int threads;

  bool steals() const { return end - begin >= threads * histogram_pieces * histogram_piece; }

  void count(int part, int parts) const {
    const auto piece = [&](index_t from, index_t to) {
      count_share(counts, part, rule, x, from, to);
    };
    if (steals()) return drain_all(queues, part, threads, piece);
    const share mine = share_of(end - begin, part, parts);
    piece(begin + mine.begin, begin + mine.end);
  }
};

/// Counts directly in `result` on one thread, if private bins do not pay or do not fit.
template <class Count, class Rule>
void count_in_place(const strided_values<typename Rule::value_type>& x, index_t size,
                    const Rule& rule, Count* result) {
  const auto bins = static_cast<index_t>(rule.bins());
  for (index_t bin = 0; bin < bins; ++bin) result[bin] = 0;
  for (index_t i = 0; i < size; ++i) {
    const index_t bin = find_bin(rule, x[i]);
    if (bin != no_bin) ++result[bin];
  }
}

/// Computes result[b], the number of elements that fall into bin b.
template <class Count, class Rule>
void count_values(const openmp& space, const strided_values<typename Rule::value_type>& x,
                  index_t size, const Rule& rule, Count* result) {
  const auto bins = static_cast<index_t>(rule.bins());
  if (bins > size || bins >= index_t{INT32_MAX}) return count_in_place(x, size, rule, result);
  const int all = space.threads();
  const int threads = useful_histogram_threads(all, size, bins);
  const private_counts counts(threads, bins, choose_counters(rule, x, size, threads));
  const small_scratch<work_queue> queues(threads);
  for (index_t bin = 0; bin < bins; ++bin) result[bin] = 0;
  constexpr index_t round = index_t{1} << 31;  // no thread's 32-bit counters can overflow
  for (index_t first = 0; first < size; first += round) {
    const index_t elements = size - first < round ? size - first : round;
    const counting_team<Rule> team{counts,           rule,          x,      first,
                                   first + elements, queues.data(), threads};
    fill_queues(queues.data(), threads, team.begin, team.end, histogram_piece);
    int used = 0;  // fewer than requested if OpenMP provides no more
    // All threads or one: a runtime may end the threads that a smaller team leaves out.
    run_parallel(threads == 1 ? 1 : all, [&](int part, int parts) {
      const int working = parts < threads ? parts : threads;
      if (part == 0) used = working;
      if (part >= working) return;
      counts.clear(part);
      team.count(part, working);
      counts.fold(part);
    });
    merge_counts(counts, used, all, bins, result);
  }
}

}  // namespace tandem::openmp_impl
