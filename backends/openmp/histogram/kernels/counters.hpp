// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Counting of 32-bit integers in runs, one version an instruction set. The files of those include
/// this header, its loops and no other of tandem's, as histogram_guess.hpp says.
namespace tandem::openmp_impl {

/// Copies of each private bin, where there are few. Equal neighbours go to different copies, so that
/// a count does not wait for the store of the one before.
inline constexpr int histogram_copies = 4;

/// Prefetch distance in values. Counts fill the processor's out-of-order window, the more so the
/// farther away the bins are, which leaves no room for loads of later values.
inline constexpr int histogram_prefetch_values = 1024;

/// A thread's counters of words; with many bins all copies are the same.
struct word_counters {
  std::uint32_t* copies[histogram_copies];
};

/// A thread's counters of bytes, with words that take the overflow: a quarter of the memory, so that
/// more values find their bin in a near cache.
struct byte_counters {
  std::uint8_t* bytes;
  std::uint32_t* words;
};

/// Bins up to which values are counted two at a time: a processor stores about one count per cycle,
/// whether of one value or of two.
inline constexpr int histogram_pair_bins = 256;
/// Rows of the cells of unordered pairs {base, base + distance}, modulo 256: one of the two distances
/// is at most 128. One cell per base and distance takes 33 KiB, which stay in L1; the 64 KiB of
/// ordered pairs would not.
inline constexpr int histogram_pair_rows = 129;
inline constexpr int histogram_pair_cells = histogram_pair_rows * histogram_pair_bins;

/// A thread's counters of pairs, one byte each, with words for values that are counted one by one and
/// for bytes that overflow.
struct pair_counters {
  std::uint8_t* cells;
  word_counters words;
};

/// Counts the bins values[i] - first, modulo 2^32, of `count` values; those not below `bins` are not
/// counted.
template <class Counters>
using count_runs_function = void(const Counters& counters, const std::uint32_t* values,
                                 std::int64_t count, std::uint32_t first, std::uint32_t bins);

/// Adds the pairs in the cells to the first copy of the words, of `bins` bins.
using fold_pairs_function = void(const pair_counters& counters, int bins);

struct counter_kernels {
  count_runs_function<word_counters>* words;
  count_runs_function<byte_counters>* bytes;
  count_runs_function<pair_counters>* pairs;
  fold_pairs_function* fold_pairs;
};

extern const counter_kernels counters_baseline;
#if defined(__x86_64__)
extern const counter_kernels counters_avx512;
extern const counter_kernels counters_avx2;
#endif

/// The fastest ones for this CPU.
const counter_kernels& usable_counter_kernels();

}  // namespace tandem::openmp_impl
