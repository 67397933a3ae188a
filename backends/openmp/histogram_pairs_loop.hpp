// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram_runs_loop.hpp>

/// The loops over pairs that each instruction set's file compiles; see histogram_runs_loop.hpp for
/// `File`.
namespace tandem::openmp_impl {

/// Pairs whose cells are found before any is counted: a cell is stored as part of a vector and
/// loaded alone, which a processor does not like to do at once. 0.16 ns a value, 0.25 with 32 pairs
/// (256 bins, one core of an AMD EPYC Zen 5, 2026-11).
inline constexpr int histogram_pairs = 128;
inline constexpr int histogram_paired = 2 * histogram_pairs;

/// The cells of a block of pairs.
struct pair_block {
  std::uint16_t cells[histogram_pairs];
};

/// Finds the cells of the pairs of values[i] and values[i + histogram_pairs], and the highest bin;
/// where that is one of the bins, so are the others, and the cells are right.
template <class File>
[[gnu::always_inline]] inline std::uint32_t find_cells(const std::uint32_t* values,
                                                       std::uint32_t first, pair_block& block) {
  std::uint32_t highest = 0;
#pragma omp simd reduction(max : highest)
  for (int i = 0; i < histogram_pairs; ++i) {
    const std::uint32_t left = values[i] - first;
    const std::uint32_t right = values[i + histogram_pairs] - first;
    const std::uint32_t higher = left > right ? left : right;
    highest = highest > higher ? highest : higher;
    const auto one = static_cast<std::uint16_t>(left);
    const auto other = static_cast<std::uint16_t>(right);
    const auto ahead = static_cast<std::int8_t>(one - other);
    const auto distance = static_cast<std::uint16_t>(ahead < 0 ? -ahead : ahead);
    const std::uint16_t base = ahead < 0 ? one : other;
    block.cells[i] = static_cast<std::uint16_t>(distance << 8 | base);
  }
  return highest;
}

/// Whether a block may hold many long stretches of equal values: more than happens to values that
/// are equal by chance.
template <class File>
bool block_repeats(const std::uint32_t* values) {
  constexpr int chance = 2;
  int equal = 0;
  for (int i = 0; i < histogram_paired; i += histogram_stretch)
    equal += values[i] == values[i + histogram_stretch - 1] ? 1 : 0;
  return equal > chance;
}

/// Counts a cell's byte that has overflowed. Apart, since few do.
template <class File>
[[gnu::noinline]] void carry_pairs(std::uint32_t* words, std::uint32_t cell) {
  const std::uint32_t base = cell % histogram_pair_bins;
  const std::uint32_t distance = cell / histogram_pair_bins;
  words[base] += 256;
  words[(base + distance) % histogram_pair_bins] += 256;
}

/// Counts the pairs of a block.
template <class File>
[[gnu::always_inline]] inline void count_cells(const pair_counters& counters,
                                               const pair_block& block) {
#pragma GCC unroll 32
  for (const std::uint16_t cell : block.cells) {
    if (++counters.cells[cell] == 0) [[unlikely]]
      carry_pairs<File>(counters.words.copies[0], cell);
  }
}

/// Counts blocks of pairs that lie inside and do not repeat, and runs otherwise.
template <class File>
void count_pairs(const pair_counters& given, const std::uint32_t* values, std::int64_t count,
                 std::uint32_t first, std::uint32_t bins) {
  const pair_counters counters = given;
  std::int64_t done = 0;
  for (; done + histogram_paired <= count; done += histogram_paired) {
    const std::uint32_t* const values_here = values + done;
    for (int i = 0; i < histogram_paired; i += histogram_run) prefetch_run<File>(values_here + i);
    pair_block block;
    if (block_repeats<File>(values_here) || find_cells<File>(values_here, first, block) >= bins) {
      count_runs<File>(counters.words, values_here, histogram_paired, first, bins);
      continue;
    }
    count_cells<File>(counters, block);
  }
  count_runs<File>(counters.words, values + done, count - done, first, bins);
}

template <class File>
void fold_pairs(const pair_counters& counters, int bins) {
  std::uint16_t bases[histogram_pair_bins] = {};  // at most 129 * 255
  std::uint16_t others[2 * histogram_pair_bins] = {};
  for (int distance = 0; distance < histogram_pair_rows; ++distance) {
    const std::uint8_t* const row = counters.cells + distance * histogram_pair_bins;
    std::uint16_t* const ahead = others + distance;
#pragma omp simd
    for (int base = 0; base < histogram_pair_bins; ++base)
      bases[base] = static_cast<std::uint16_t>(bases[base] + row[base]);
#pragma omp simd
    for (int base = 0; base < histogram_pair_bins; ++base)
      ahead[base] = static_cast<std::uint16_t>(ahead[base] + row[base]);
  }
  std::uint32_t* const words = counters.words.copies[0];
  for (int bin = 0; bin < bins; ++bin) {
    const int sum = bases[bin] + others[bin] + others[bin + histogram_pair_bins];
    words[bin] += static_cast<std::uint32_t>(sum);
  }
}

template <class File>
constexpr count_kernels count_kernels_of() {
  return {count_runs<File, word_counters>, count_runs<File, byte_counters>, count_pairs<File>,
          fold_pairs<File>};
}

}  // namespace tandem::openmp_impl
