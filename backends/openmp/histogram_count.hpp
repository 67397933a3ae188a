// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/histogram_block.hpp>
#include <tandem/backends/openmp/space.hpp>
#include <tandem/backends/openmp/workspace.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>

/// Counting with bins that are private to a thread.
namespace tandem::openmp_impl {

/// Copies of each private bin. Equal neighbours go to different copies, so that a count need not
/// wait for the store of the one before: 0.28 ns a value where one copy takes 0.37.
inline constexpr int histogram_copies = 4;
/// Bins up to which the copies of a thread stay in L1 (48 KiB, with the block). Two copies of 4096
/// bins took 0.29 ns a value, uniform ones from memory, where one takes 0.14 to 0.16.
inline constexpr index_t histogram_copied_bins = 2048;
/// Words between copies, whatever the number of bins: a constant, so that one register points at
/// all copies; not a multiple of 4 KiB, so that equal bins of neighbours do not look alike to a
/// processor that compares the low bits of addresses.
inline constexpr index_t histogram_copy_pitch = histogram_copied_bins + 32;

/// The private bins of all threads: for each a row of copies, apart by at least a cache line.
class private_counts {
 public:
  private_counts(int threads, index_t bins)
      : bins_(bins),
        copies_(bins <= histogram_copied_bins ? histogram_copies : 1),
        pitch_(copies_ > 1 ? histogram_copy_pitch : round_up(bins + 1, index_t{16}) + 16),
        words_(threads * copies_ * pitch_) {}

  int copies() const { return copies_; }
  std::uint32_t* row(int thread, int copy) const {
    return words_.data() + (thread * copies_ + copy) * pitch_;
  }

  void clear(int thread) const {
    for (int copy = 0; copy < copies_; ++copy) {
      std::uint32_t* const words = row(thread, copy);
      for (index_t i = 0; i <= bins_; ++i) words[i] = 0;
    }
  }

  /// Adds a thread's copies up in the first.
  void fold(int thread) const {
    std::uint32_t* const total = row(thread, 0);
    for (int copy = 1; copy < copies_; ++copy) {
      const std::uint32_t* const words = row(thread, copy);
      for (index_t bin = 0; bin < bins_; ++bin) total[bin] += words[bin];
    }
  }

 private:
  index_t bins_;
  int copies_;
  index_t pitch_;
  workspace<std::uint32_t> words_;
};

/// Calls add(words, i) for 0 <= i < count, each time with the words of another copy, where add
/// counts the i-th value in them. `add` by value: behind a reference each count might have changed
/// it, and its members would be loaded again for every element.
template <class Add>
void count_bins(const private_counts& counts, int thread, index_t count, const Add add) {
  std::uint32_t* const first = counts.row(thread, 0);
  index_t i = 0;
  if (counts.copies() == histogram_copies) {
    for (; i + 3 < count; i += 4) {
      add(first, i);
      add(first + histogram_copy_pitch, i + 1);
      add(first + 2 * histogram_copy_pitch, i + 2);
      add(first + 3 * histogram_copy_pitch, i + 3);
    }
  }
  for (; i < count; ++i) add(first, i);
}

/// Counts the elements begin to end - 1 of x in a thread's bins; values without a bin in the spare
/// one at the end of each copy.
template <class Rule>
void count_share(const private_counts& counts, int thread, const Rule& rule,
                 const histogram_line<typename Rule::value_type>& x, index_t begin, index_t end) {
  for_each_block(rule, x, begin, end, [&](index_t, int count, const std::uint32_t* bins) {
    count_bins(counts, thread, count,
               [bins](std::uint32_t* words, index_t i) { ++words[bins[i]]; });
  });
}

/// Values that are asked for ahead of those being counted. Counts fill a processor's window of
/// waiting instructions, the more so the farther away the bins are, and nothing in it asks for
/// memory: 2^25 uniform values took 12.8 ms in 65536 bins; asked for 256 values ahead they take
/// 8.2, for 1024 or 4096 ahead 6.7 (two cores of an AMD EPYC Zen 5, 2026-11).
inline constexpr index_t histogram_ahead = 1024;

/// count_bins for `count` contiguous values, which add(words, i) reads.
template <class T, class Add>
void count_line(const private_counts& counts, int thread, const T* values, index_t count,
                const Add add) {
  constexpr auto line = static_cast<index_t>(64 / sizeof(T));
  index_t i = 0;
  for (; i + line <= count; i += line) {
    // An address that may lie beyond the array, which is asked for and not read.
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values + i) +
                                                     histogram_ahead * sizeof(T)));
    count_bins(counts, thread, line, [=](std::uint32_t* words, index_t k) { add(words, i + k); });
  }
  count_bins(counts, thread, count - i,
             [=](std::uint32_t* words, index_t k) { add(words, i + k); });
}

/// Counts `count` contiguous integers. A branch rather than a spare bin: it is predicted where
/// values have bins, 0.25 ns a value where a select takes 0.37 (256 bins, one core of an AMD EPYC
/// Zen 5, 2026-11). Bins from zero on need no subtraction.
template <class T, class Index>
void count_integers(const private_counts& counts, int thread,
                    const integer_bin_rule<T, Index>& rule, const T* values, index_t count) {
  const Index bins = rule.bins();
  const Index first = static_cast<Index>(Index{0} - rule.guess(T{0}).bin);
  if (first == 0) {
    count_line(counts, thread, values, count, [bins, values](std::uint32_t* words, index_t i) {
      const auto bin = static_cast<Index>(values[i]);
      if (bin < bins) ++words[bin];
    });
  } else {
    count_line(counts, thread, values, count,
               [bins, first, values](std::uint32_t* words, index_t i) {
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
    count_integers(counts, thread, rule, x.data + begin, end - begin);
    return;
  }
  const histogram_line<T> line = {x.data + begin * x.stride, x.stride};
  count_bins(counts, thread, end - begin, [rule, line](std::uint32_t* words, index_t i) {
    const Index bin = rule.guess(line[i]).bin;
    if (bin < rule.bins()) ++words[bin];
  });
}

/// result[b] += the sum over the threads that have counted, on all of a team where that pays.
template <class Count>
void merge_counts(const private_counts& counts, int threads, int team, index_t bins,
                  Count* result) {
  constexpr index_t worth = 1 << 15;  // words read by a thread
  const index_t parts = threads * bins / worth;
  fork(parts < 2 ? 1 : team, [&](int part, int all) {
    const share mine = share_of(bins, part, all);
    for (int thread = 0; thread < threads; ++thread) {
      const std::uint32_t* const words = counts.row(thread, 0);
      for (index_t bin = mine.begin; bin < mine.end; ++bin)
        result[bin] += static_cast<Count>(words[bin]);
    }
  });
}

/// Elements that a thread takes at a time where it takes its work in pieces: 5 to 20 us, which is
/// what threads wait for the last one.
inline constexpr index_t histogram_piece = index_t{1} << 15;
/// Pieces that each thread should get for that; fewer elements are in caches, each in that of the
/// thread whose share they are in every loop.
inline constexpr index_t histogram_pieces = 32;

/// One thread of those that count.
struct place_in_team {
  int part;
  int parts;
};

/// Counts a thread's part of the elements begin to end - 1: a share, or of many elements a piece
/// at a time, so that a thread which the system holds up does not hold up all. `taken` is the
/// number of pieces that have been taken.
template <class Rule>
void count_part(const private_counts& counts, place_in_team me, const Rule& rule,
                const histogram_line<typename Rule::value_type>& x, share range, index_t& taken) {
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

/// result[b] = how many elements fall into bin b.
template <class Count, class Rule>
void count_values(const openmp& space, const histogram_line<typename Rule::value_type>& x,
                  index_t size, const Rule& rule, Count* result) {
  const auto bins = static_cast<index_t>(rule.bins());
  for (index_t bin = 0; bin < bins; ++bin) result[bin] = 0;
  if (bins > size ||
      bins >= index_t{INT32_MAX}) {  // private bins would cost more than they save, or do not fit
    for (index_t i = 0; i < size; ++i) {
      const index_t bin = find_bin(rule, x[i]);
      if (bin != no_bin) ++result[bin];
    }
    return;
  }
  const int all = space.threads();
  const int threads = histogram_threads(all, size, bins);
  const private_counts counts(threads, bins);
  constexpr index_t round = index_t{1} << 31;  // cannot overflow 32 bits in any thread
  for (index_t first = 0; first < size; first += round) {
    const index_t elements = size - first < round ? size - first : round;
    int used = 0;  // fewer than asked for where OpenMP has no more
    alignas(64) index_t taken = 0;
    // All threads or none: a runtime may end those that a smaller team leaves out.
    fork(threads == 1 ? 1 : all, [&](int part, int parts) {
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
