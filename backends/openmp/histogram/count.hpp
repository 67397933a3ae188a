// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/count_share.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>

#include <cstdint>

/// Counting with bins that are private to each thread.
namespace tandem::openmp_impl {

/// Adds the private counts to `result`, on several threads where that pays.
template <class Count>
void merge_counts(const private_counts& counts, int threads, int team, index_t bins,
                  Count* result) {
  constexpr index_t worth = 1 << 15;  // words per thread
  const index_t parts = threads * bins / worth;
  run_parallel(parts < 2 ? 1 : team, [&](int part, int all) {
    const share mine = share_of(bins, part, all);
    for (int thread = 0; thread < threads; ++thread) {
      const std::uint32_t* const words = counts.row(thread, 0);
      for (index_t bin = mine.begin; bin < mine.end; ++bin)
        result[bin] += static_cast<Count>(words[bin]);
    }
  });
}

/// Elements that a thread takes at a time under work stealing: the last one to finish delays the
/// others by at most that.
inline constexpr index_t histogram_piece = index_t{1} << 15;
/// Pieces per thread from which work is stolen; fewer elements stay in the cache of the thread that
/// has them in every loop.
inline constexpr index_t histogram_pieces = 32;

/// The rank of a thread among those that count.
struct team_rank {
  int part;
  int parts;
};

/// Counts a thread's part of the elements begin to end - 1: a share, or of many elements a piece
/// at a time, so that a thread which the system holds up does not hold up all. `taken` is the
/// number of pieces that have been taken.
template <class Rule>
void count_part(const private_counts& counts, team_rank me, const Rule& rule,
                const strided_values<typename Rule::value_type>& x, share range, index_t& taken) {
  const index_t size = range.end - range.begin;
  if (size < me.parts * histogram_pieces * histogram_piece) {
    const share mine = share_of(size, me.part, me.parts);
    count_share(counts, me.part, rule, x, range.begin + mine.begin, range.begin + mine.end);
    return;
  }
  for (;;) {
    const index_t piece = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    const index_t first = range.begin + piece * histogram_piece;
    if (first >= range.end) return;
    const index_t left = range.end - first;
    count_share(counts, me.part, rule, x, first,
                first + (left < histogram_piece ? left : histogram_piece));
  }
}

/// Counts directly in `result`, on one thread, where private bins would not pay or not fit.
template <class Count, class Rule>
void count_in_place(const strided_values<typename Rule::value_type>& x, index_t size,
                    const Rule& rule, Count* result) {
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
  for (index_t bin = 0; bin < bins; ++bin) result[bin] = 0;
  if (bins > size || bins >= index_t{INT32_MAX}) return count_in_place(x, size, rule, result);
  const int all = space.threads();
  const int threads = useful_histogram_threads(all, size, bins);
  const private_counts counts(threads, bins, choose_counters(rule, x, size, threads));
  constexpr index_t round = index_t{1} << 31;  // no thread's 32-bit counters can overflow
  for (index_t first = 0; first < size; first += round) {
    const index_t elements = size - first < round ? size - first : round;
    int used = 0;  // fewer than wanted where OpenMP provides no more
    alignas(64) index_t taken = 0;
    // All threads or one: a runtime may end those that a smaller team leaves out.
    run_parallel(threads == 1 ? 1 : all, [&](int part, int parts) {
      const int working = parts < threads ? parts : threads;
      if (part == 0) used = working;
      if (part >= working) return;
      counts.clear(part);
      count_part(counts, {part, working}, rule, x, {first, first + elements}, taken);
      counts.fold(part);
    });
    merge_counts(counts, used, all, bins, result);
  }
}

}  // namespace tandem::openmp_impl
