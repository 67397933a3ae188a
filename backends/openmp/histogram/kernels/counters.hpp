// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Counting of 32-bit integers in runs, one version an instruction set. The files of those include
/// this header, its loops and no other of tandem's, as histogram_guess.hpp says.
namespace tandem::openmp_impl {

/// Copies of each private bin, where there are few. Equal neighbours go to different copies, so
/// that a count need not wait for the store of the one before: 0.28 ns a value where one copy takes
/// 0.37.
inline constexpr int histogram_copies = 4;

/// Values that are asked for ahead of those being counted. Counts fill a processor's window of
/// waiting instructions, the more so the farther away the bins are, and nothing in it asks for
/// memory: 2^25 uniform values took 12.8 ms in 65536 bins; asked for 256 values ahead they take
/// 8.2, for 1024 or 4096 ahead 6.7 (two cores of an AMD EPYC Zen 5, 2026-11).
inline constexpr int histogram_ahead = 1024;

/// A thread's counters of words; of many bins the copies are one and the same.
struct word_counters {
  std::uint32_t* copies[histogram_copies];
};

/// A thread's counters of bytes, which a word joins where the byte overflows: a quarter of the
/// memory, so that more values find their bin in a near cache.
struct byte_counters {
  std::uint8_t* bytes;
  std::uint32_t* words;
};

/// Bins up to which values are counted two at a time: a processor stores about one count a cycle,
/// be it of one value or of two.
inline constexpr int histogram_pair_bins = 256;
/// Rows of the cells of pairs {base, base + distance}, modulo 256, of two bins in either order: one
/// of the two distances is at most 128. A cell for each base and distance takes 33 KiB, which stay
/// in L1 as the 64 KiB of ordered pairs would not.
inline constexpr int histogram_pair_rows = 129;
inline constexpr int histogram_pair_cells = histogram_pair_rows * histogram_pair_bins;

/// A thread's counters of pairs, a byte each, beside words for values that are counted one by one
/// and for the bytes that overflow.
struct pair_counters {
  std::uint8_t* cells;
  word_counters words;
};

/// Counts the bins values[i] - first, modulo 2^32, of `count` values, those below `bins`.
template <class Counters>
using count_runs_function = void(const Counters& counters, const std::uint32_t* values,
                                 std::int64_t count, std::uint32_t first, std::uint32_t bins);

/// Adds the pairs in the cells up in the first copy of the words, of `bins` bins.
using fold_pairs_function = void(const pair_counters& counters, int bins);

struct count_kernels {
  count_runs_function<word_counters>* words;
  count_runs_function<byte_counters>* bytes;
  count_runs_function<pair_counters>* pairs;
  fold_pairs_function* fold_pairs;
};

extern const count_kernels count_baseline;
#if defined(__x86_64__)
extern const count_kernels count_avx512;
extern const count_kernels count_avx2;
#endif

/// The fastest ones for this CPU.
const count_kernels& usable_count_kernels();

}  // namespace tandem::openmp_impl
