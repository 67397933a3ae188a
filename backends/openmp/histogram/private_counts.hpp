// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/counters.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>

/// Bins that are private to a thread.
namespace tandem::openmp_impl {

/// Bins up to which the copies of a thread stay in L1 (48 KiB, with the block). Two copies of 4096
/// bins took 0.29 ns a value, uniform ones from memory, where one takes 0.14 to 0.16.
inline constexpr index_t histogram_copied_bins = 2048;
/// Words between copies, whatever the number of bins: not a multiple of 4 KiB, so that equal bins
/// of neighbours do not look alike to a processor that compares the low bits of addresses.
inline constexpr index_t histogram_copy_pitch = histogram_copied_bins + 32;

/// Bins from which on 32-bit integers are counted in bytes: the words of a thread exceed L1 then.
/// 2^25 uniform values took 1.97 ms in words and 1.51 in bytes of 16384 bins, 3.45 and 1.99 of
/// 65536 (14 threads of an Intel Xeon, 2026-11); 5.4 and 5.5, 7.0 and 5.8 (two cores of an AMD EPYC
/// Zen 5).
inline constexpr index_t histogram_byte_bins = 16384;

/// Values of a thread from which on pairs are worth their cells, which take 1 us to clear and to
/// add up: 2^14 integers in 256 bins 3.8 us in pairs and 4.5 in words, floats in 150 bins 4.5 and
/// 6.5 (one core of an AMD EPYC Zen 5, 2026-11).
inline constexpr index_t histogram_pair_values = index_t{1} << 14;

/// What a thread counts in; words lie beside the others.
enum class counted_in { words, bytes, pairs };

/// The private bins of all threads: for each a row of copies, apart by at least a cache line, and
/// beside the words the bytes of bins that have no copies, or the cells of pairs.
class private_counts {
 public:
  private_counts(int threads, index_t bins, counted_in kind)
      : bins_(bins),
        copies_(bins <= histogram_copied_bins ? histogram_copies : 1),
        kind_(kind),
        pitch_(copies_ > 1 ? histogram_copy_pitch : round_up(bins + 1, index_t{16}) + 16),
        row_(copies_ * pitch_ + round_up(byte_count() / 4, index_t{16})),
        words_(threads * row_) {}

  counted_in kind() const { return kind_; }
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
    // No loop: its stores might change the members that it ends by, so it would go byte by byte.
    __builtin_memset(bytes_of(thread), 0, static_cast<std::size_t>(byte_count()));
  }

  /// Adds a thread's copies, and its bytes or pairs, up in the first.
  void fold(int thread) const {
    for (int copy = 1; copy < copies_; ++copy) add_up(thread, row(thread, copy));
    if (kind_ == counted_in::bytes) add_up(thread, bytes_of(thread));
    if (kind_ == counted_in::pairs)
      usable_count_kernels().fold_pairs(pairs(thread), static_cast<int>(bins_));
  }

 private:
  index_t byte_count() const {
    switch (kind_) {
      case counted_in::words:
        return 0;
      case counted_in::bytes:
        return round_up(bins_, index_t{64});
      case counted_in::pairs:
        return histogram_pair_cells;
    }
    return 0;
  }
  /// Words of a copy: the bins, and a spare one or, beside pairs, those of all cells.
  index_t word_count() const {
    return kind_ == counted_in::pairs ? histogram_pair_bins : bins_ + 1;
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
  counted_in kind_;
  index_t pitch_;
  index_t row_;
  scratch<std::uint32_t> words_;
};

/// Calls add(words, i) for 0 <= i < count, each time with the words of another copy, where add
/// counts the i-th value in them. All by value: behind a reference each count might have changed
/// it, and its members would be loaded again for every element.
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
