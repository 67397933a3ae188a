// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/table.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>

/// Bins that are private to each thread.
namespace tandem::openmp_impl {

/// The counters that a thread uses; words always accompany the others.
enum class counter_kind { words, bytes, pairs };

/// The private bins of all threads: a row of copies per thread, at least a cache line apart,
/// followed by the bytes of bins without copies, or by the cells of pairs.
class private_counts {
 public:
  private_counts(int threads, index_t bins, counter_kind kind)
      : bins_(bins),
        copies_(bins <= histogram_copied_bins ? histogram_copies : 1),
        kind_(kind),
        pitch_(copies_ > 1 ? histogram_copy_pitch : round_up(bins + 1, index_t{16}) + 16),
        row_(copies_ * pitch_ + round_up(byte_count() / 4, index_t{16})),
        words_(threads * row_) {}

  counter_kind kind() const { return kind_; }
  std::uint32_t* row(int thread, int copy) const {
    return words_.data() + thread * row_ + copy * pitch_;
  }
  word_counters words(int thread) const {
    const int step = copies_ > 1 ? 1 : 0;
    return {{row(thread, 0), row(thread, step), row(thread, 2 * step), row(thread, 3 * step)}};
  }
  byte_counters bytes(int thread) const { return {bytes_of(thread), row(thread, 0)}; }
  pair_counters pairs(int thread) const { return {bytes_of(thread), words(thread)}; }

  void clear(int thread) const {
    for (int copy = 0; copy < copies_; ++copy)
      __builtin_memset(row(thread, copy), 0, static_cast<std::size_t>(word_count()) * 4);
    // Not a loop: its stores could alias the members, which would prevent vectorisation.
    __builtin_memset(bytes_of(thread), 0, static_cast<std::size_t>(byte_count()));
  }

  /// Adds a thread's copies, and its bytes or pairs, to its first copy.
  void fold(int thread) const {
    for (int copy = 1; copy < copies_; ++copy) add_up(thread, row(thread, copy));
    if (kind_ == counter_kind::bytes) add_up(thread, bytes_of(thread));
    if (kind_ == counter_kind::pairs)
      best_kernels<histogram_kernels>().fold_pairs(pairs(thread), static_cast<int>(bins_));
  }

 private:
  index_t byte_count() const {
    switch (kind_) {
      case counter_kind::words:
        return 0;
      case counter_kind::bytes:
        return round_up(bins_, index_t{64});
      case counter_kind::pairs:
        return histogram_pair_cells;
    }
    return 0;
  }
  /// Words per copy: the bins and a spare one or, with pairs, one per byte value.
  index_t word_count() const {
    return kind_ == counter_kind::pairs ? histogram_pair_bins : bins_ + 1;
  }
  std::uint8_t* bytes_of(int thread) const {
    return reinterpret_cast<std::uint8_t*>(row(thread, copies_ - 1) + pitch_);
  }

  template <class Word>
  void add_up(int thread, const Word* words) const {
    std::uint32_t* const total = row(thread, 0);
    for (index_t bin = 0; bin < bins_; ++bin) total[bin] += words[bin];
  }

  index_t bins_;
  int copies_;
  counter_kind kind_;
  index_t pitch_;
  index_t row_;
  scratch<std::uint32_t> words_;
};

/// Calls add(words, i), which counts the i-th value in words, for 0 <= i < count, and rotates
/// through the copies. Takes everything by value: each count could alias what a reference points
/// to, which would then be reloaded for every element.
template <class Add>
void count_bins(const word_counters counters, index_t count, const Add add) {
  const index_t whole = count - count % histogram_copies;
  for (index_t i = 0; i < whole; i += histogram_copies) {
    add(counters.copies[0], i);
    add(counters.copies[1], i + 1);
    add(counters.copies[2], i + 2);
    add(counters.copies[3], i + 3);
  }
  for (index_t i = whole; i < count; ++i) add(counters.copies[0], i);
}

}  // namespace tandem::openmp_impl
