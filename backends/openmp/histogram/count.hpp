// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/find_bins.hpp>
#include <tandem/backends/openmp/histogram/plan.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/backends/openmp/histogram/private_counts.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>

#include <cstdint>

/// Counting with bins that are private to each thread.
namespace tandem::openmp_impl {

/// Calls count_bins() for `count` contiguous values, which add(words, i) reads, and prefetches.
template <class T, class Add>
void count_line(const word_counters counters, const T* values, index_t count, const Add add) {
  constexpr auto line = static_cast<index_t>(64 / sizeof(T));
  index_t i = 0;
  for (; i + line <= count; i += line) {
    // A prefetched address may lie beyond the array.
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values + i) +
                                                     histogram_prefetch_values * sizeof(T)));
    count_bins(counters, line, [=](std::uint32_t* words, index_t k) { add(words, i + k); });
  }
  count_bins(counters, count - i, [=](std::uint32_t* words, index_t k) { add(words, i + k); });
}

/// Counts elements begin .. end - 1 of x in words, block by block. Values without a bin go to the
/// spare bin at the end of each copy.
template <class Rule>
void count_blocks(const private_counts& counts, int thread, const Rule& rule,
                  const strided_values<typename Rule::value_type>& x, index_t begin, index_t end) {
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

/// Counts elements begin .. end - 1 of x in a thread's bins.
template <class Rule>
void count_share(const private_counts& counts, int thread, const Rule& rule,
                 const strided_values<typename Rule::value_type>& x, index_t begin, index_t end) {
  count_blocks(counts, thread, rule, x, begin, end);
}
template <class T>
void count_share(const private_counts& counts, int thread, const uniform_bin_rule<T>& rule,
                 const strided_values<T>& x, index_t begin, index_t end) {
  if (counts.kind() == counter_kind::pairs)
    begin += best_kernels<histogram_kernels>().of<T>().pairs(
        fixed_point_position_of(rule), counts.pairs(thread), x.data + begin, end - begin);
  count_blocks(counts, thread, rule, x, begin, end);
}

/// Counts `count` contiguous integers with the kernels.
template <class T>
void count_with_kernels(const private_counts& counts, int thread,
                        const integer_bin_rule<T, std::uint32_t>& rule, const T* values,
                        index_t count) {
  const auto* const numbers = reinterpret_cast<const std::uint32_t*>(values);
  const std::uint32_t first = 0 - rule.guess(T{0}).bin;
  const histogram_kernels& kernels = best_kernels<histogram_kernels>();
  switch (counts.kind()) {
    case counter_kind::words:
      return kernels.words(counts.words(thread), numbers, count, first, rule.bins());
    case counter_kind::bytes:
      return kernels.bytes(counts.bytes(thread), numbers, count, first, rule.bins());
    case counter_kind::pairs:
      return kernels.pairs(counts.pairs(thread), numbers, count, first, rule.bins());
  }
}

/// Counts `count` contiguous integers. A branch is better than a spare bin, since it is well
/// predicted if most values have bins. Bins that start at zero need no subtraction.
template <class T, class Index>
void count_integers(const word_counters counters, const integer_bin_rule<T, Index>& rule,
                    const T* values, index_t count) {
  const Index bins = rule.bins();
  const Index first = static_cast<Index>(Index{0} - rule.guess(T{0}).bin);
  if (first == 0) {
    count_line(counters, values, count, [bins, values](std::uint32_t* words, index_t i) {
      const auto bin = static_cast<Index>(values[i]);  // NOLINT(bugprone-signed-char-misuse): wraps
      if (bin < bins) ++words[bin];
    });
  } else {
    count_line(counters, values, count, [bins, first, values](std::uint32_t* words, index_t i) {
      const auto bin = static_cast<Index>(static_cast<Index>(values[i]) - first);
      if (bin < bins) ++words[bin];
    });
  }
}

/// Counts integers without a block of bins: computing an integer's bin is as fast as reloading it.
template <class T, class Index>
void count_share(const private_counts& counts, int thread, const integer_bin_rule<T, Index>& rule,
                 const strided_values<T>& x, index_t begin, index_t end) {
  if (x.stride == 1) {
    if constexpr (has_counter_kernels<integer_bin_rule<T, Index>>) {
      count_with_kernels(counts, thread, rule, x.data + begin, end - begin);
    } else {
      count_integers(counts.words(thread), rule, x.data + begin, end - begin);
    }
    return;
  }
  const strided_values<T> line = {x.data + begin * x.stride, x.stride};
  count_bins(counts.words(thread), end - begin, [rule, line](std::uint32_t* words, index_t i) {
    const Index bin = rule.guess(line[i]).bin;
    if (bin < rule.bins()) ++words[bin];
  });
}

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
