// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/runs.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_bins.hpp>
#include <tandem/backends/openmp/histogram/policy.hpp>

/// Counting values in pairs. Everything has internal linkage, so that the file of each instruction
/// set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Prefetches the block `histogram_prefetch_values` ahead, as prefetch_run does for a run.
template <class T>
void prefetch_block(const T* values) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(values);
  constexpr int value_bytes = sizeof(T);
  constexpr int word_bytes = sizeof(std::uint32_t);
  constexpr int count = histogram_paired * value_bytes / word_bytes;
  for (int i = 0; i < count; i += histogram_run) prefetch_run(words + i);
}

/// The bins of a block of pairs, modulo 256. The number of a value without a bin is no bin's.
struct bins_block {
  alignas(64) std::uint16_t bins[histogram_paired];
};

/// The cells of a block of pairs.
struct pair_block {
  alignas(64) std::uint16_t cells[histogram_pairs];
};

/// Computes the cells of the pairs of bins[i] and bins[i + histogram_pairs].
[[gnu::always_inline]] inline void find_cells(const bins_block& found, pair_block& block) {
  for (int i = 0; i < histogram_pairs; ++i) {
    const std::uint16_t left = found.bins[i];
    const std::uint16_t right = found.bins[i + histogram_pairs];
    const auto ahead = static_cast<std::int16_t>((left - right) << 8);
    const auto distance = static_cast<std::uint16_t>(ahead < 0 ? -ahead : ahead);
    const std::uint16_t base = ahead < 0 ? left : right;
    block.cells[i] = static_cast<std::uint16_t>(distance | (base & 255));
  }
}

/// Whether a block may hold many long stretches of equal pairs, whose counts would wait for each
/// other: it has more equal groups of four than three bins produce by chance.
[[gnu::always_inline]] inline bool cells_repeat(const pair_block& block) {
  constexpr int chance = 4;
  std::int64_t equal = 0;
  for (int i = 0; i < histogram_pairs; i += 4) {
    std::uint64_t four;
    __builtin_memcpy(&four, block.cells + i, sizeof four);
    equal += four == (four << 16 | four >> 48) ? 1 : 0;
  }
  return equal > chance;
}

/// Carries the overflow of a cell's byte. Not inlined, since it is rare.
[[gnu::noinline]] inline void carry_pairs(std::uint32_t* words, const std::uint8_t* cells,
                                          const std::uint8_t* overflowed) {
  const auto cell = static_cast<std::uint32_t>(overflowed - cells);
  const std::uint32_t base = cell % histogram_pair_bins;
  const std::uint32_t distance = cell / histogram_pair_bins;
  words[base] += 256;
  words[(base + distance) % histogram_pair_bins] += 256;
}

/// Counts the pairs of a block.
[[gnu::always_inline]] inline void count_cells(const pair_counters& counters,
                                               const pair_block& block) {
  std::uint8_t* const cells = counters.cells;
#pragma GCC unroll 32
  for (const std::uint16_t cell : block.cells) {
    std::uint8_t* const count = cells + cell;
    if (++*count == 0) [[unlikely]]
      carry_pairs(counters.words.copies[0], cells, count);
  }
}

/// Computes the bins values[i] - first of a block and returns the highest. If that is below the
/// number of bins, all others are too, and none was truncated.
[[gnu::always_inline]] inline std::uint32_t find_by_value(const std::uint32_t* values,
                                                          std::uint32_t first, bins_block& block) {
  std::uint32_t highest = 0;
  for (int i = 0; i < histogram_paired; ++i) {
    const std::uint32_t bin = values[i] - first;
    highest = highest > bin ? highest : bin;
    block.bins[i] = static_cast<std::uint16_t>(bin);
  }
  return highest;
}

/// Counts blocks as pairs if all values have bins and do not repeat, and as runs otherwise.
inline void count_pairs(const pair_counters& given, const std::uint32_t* values, std::int64_t count,
                        std::uint32_t first, std::uint32_t bins) {
  const pair_counters counters = given;
  std::int64_t done = 0;
  for (; done + histogram_paired <= count; done += histogram_paired) {
    const std::uint32_t* const values_here = values + done;
    prefetch_block(values_here);
    bins_block found;
    const bool inside = find_by_value(values_here, first, found) < bins;
    pair_block block;
    find_cells(found, block);
    if (inside && !cells_repeat(block)) {
      count_cells(counters, block);
    } else {
      count_runs(counters.words, values_here, histogram_paired, first, bins);
    }
  }
  count_runs(counters.words, values + done, count - done, first, bins);
}

/// Returns the position of a value; see fixed_point_position.
template <class T>
[[gnu::always_inline]] inline std::uint32_t fixed_point_of(const fixed_point_position<T>& numbers,
                                                           T x) {
  const T position = x * numbers.scale + numbers.offset;
  const T above = position > numbers.low ? position : numbers.low;  // NaN becomes low
  const T inside = above < numbers.high ? above : numbers.high;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(inside));
}

/// Finds the bins of a block by position and stores them two to a word, interleaved, which takes
/// fewer instructions than narrowing vectors. Returns whether all are certain.
template <class T>
[[gnu::always_inline]] inline bool find_by_fixed_point(const fixed_point_position<T>& numbers,
                                                       const T* x, bins_block& block) {
  const std::uint32_t largest = std::uint32_t{numbers.largest_fraction} << 16;
  std::uint32_t farthest = 0;
  for (int i = 0; i < histogram_pairs; ++i) {
    const std::uint32_t one = fixed_point_of(numbers, x[i]);
    const std::uint32_t other = fixed_point_of(numbers, x[i + histogram_pairs]);
    const std::uint32_t bins = one >> 16 | (other & 0xffff0000u);
    __builtin_memcpy(block.bins + 2 * i, &bins, sizeof bins);
    const std::uint32_t farther = one << 16 > other << 16 ? one << 16 : other << 16;
    farthest = farthest > farther ? farthest : farther;
  }
  return farthest <= largest;
}

/// Finds the bins of a block by comparisons. Not inlined, since most blocks need none.
template <class T>
[[gnu::noinline]] void find_by_edges(const uniform_edges<T>& numbers, const T* x,
                                     bins_block& block) {
  std::uint32_t bins[histogram_paired];
  compare_edges(numbers, x, histogram_paired, bins);
  for (int i = 0; i < histogram_paired; ++i) block.bins[i] = static_cast<std::uint16_t>(bins[i]);
}

/// Counts a block whose bins repeat: at once if all are equal. Not inlined, since it is rare.
[[gnu::noinline]] inline void count_repeated(const word_counters& given, const bins_block& block) {
  const word_counters counters = given;
  std::uint16_t differences = 0;
  for (const std::uint16_t bin : block.bins)
    differences = static_cast<std::uint16_t>(differences | (bin ^ block.bins[0]));
  if (differences == 0) return add_many(counters, block.bins[0] & 255u, histogram_paired);
#pragma GCC unroll 16
  for (int i = 0; i < histogram_paired; ++i)
    add_one(counters, i % histogram_copies, block.bins[i] & 255u);
}

/// Counts values block by block; see count_fixed_point_pairs_function.
template <class T>
std::int64_t count_fixed_point_pairs(const fixed_point_position<T>& given_numbers,
                                     const pair_counters& given, const T* values,
                                     std::int64_t count) {
  const fixed_point_position<T> numbers = given_numbers;
  const pair_counters counters = given;
  std::int64_t done = 0;
  for (; done + histogram_paired <= count; done += histogram_paired) {
    const T* const x = values + done;
    prefetch_block(x);
    bins_block found;
    if (!find_by_fixed_point(numbers, x, found)) find_by_edges(numbers.edges, x, found);
    pair_block block;
    find_cells(found, block);
    if (cells_repeat(block)) {
      count_repeated(counters.words, found);
    } else {
      count_cells(counters, block);
    }
  }
  return done;
}

/// Adds each row to the first bins of its pairs and, shifted by `distance`, to the second ones. The
/// latter sums alternate between several arrays: a row's vectors straddle those that the previous
/// row stored, which store forwarding does not support.
inline void fold_pairs(const pair_counters& counters, int bins) {
  constexpr int turns = 8;
  std::uint16_t bases[histogram_pair_bins] = {};  // at most 129 * 255
  std::uint16_t others[turns][2 * histogram_pair_bins] = {};
  for (int distance = 0; distance < histogram_pair_rows; ++distance) {
    const std::uint8_t* const row = counters.cells + distance * histogram_pair_bins;
    std::uint16_t* const ahead = others[distance % turns] + distance;
#pragma omp simd
    for (int base = 0; base < histogram_pair_bins; ++base)
      bases[base] = static_cast<std::uint16_t>(bases[base] + row[base]);
#pragma omp simd
    for (int base = 0; base < histogram_pair_bins; ++base)
      ahead[base] = static_cast<std::uint16_t>(ahead[base] + row[base]);
  }
  std::uint32_t* const words = counters.words.copies[0];
  for (int bin = 0; bin < bins; ++bin) {
    std::uint32_t sum = bases[bin];
    for (const auto& other : others)
      sum += std::uint32_t{other[bin]} + other[bin + histogram_pair_bins];
    words[bin] += sum;
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
