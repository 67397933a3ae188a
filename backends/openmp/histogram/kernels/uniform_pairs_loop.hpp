// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/pair_loop.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_bins_loop.hpp>

/// The loop over pairs of floating-point values that each instruction set's file compiles; see
/// histogram_runs_loop.hpp for `File`.
namespace tandem::openmp_impl {

/// The position of a value, see position_numbers.
template <class File, class T>
[[gnu::always_inline]] inline std::uint32_t position_of(const position_numbers<T>& numbers, T x) {
  const T position = x * numbers.scale + numbers.offset;
  const T above = position > numbers.low ? position : numbers.low;  // NaN becomes low
  const T inside = above < numbers.high ? above : numbers.high;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(inside));
}

/// Finds the bins of a block by position, two at a time in a word, which takes two instructions
/// where halves of words side by side take four; so they lie in an order of their own. Returns
/// whether all are certain.
template <class File, class T>
[[gnu::always_inline]] inline bool find_by_position(const position_numbers<T>& numbers, const T* x,
                                                    bins_block& block) {
  const std::uint32_t largest = std::uint32_t{numbers.largest_fraction} << 16;
  std::uint32_t farthest = 0;
  for (int i = 0; i < histogram_pairs; ++i) {
    const std::uint32_t one = position_of<File>(numbers, x[i]);
    const std::uint32_t other = position_of<File>(numbers, x[i + histogram_pairs]);
    const std::uint32_t bins = one >> 16 | (other & 0xffff0000u);
    __builtin_memcpy(block.bins + 2 * i, &bins, sizeof bins);
    const std::uint32_t farther = one << 16 > other << 16 ? one << 16 : other << 16;
    farthest = farthest > farther ? farthest : farther;
  }
  return farthest <= largest;
}

/// Finds the bins of a block by comparisons. Apart, since most blocks need none.
template <class File, class T>
[[gnu::noinline]] void find_by_edges(const edge_numbers<T>& numbers, const T* x,
                                     bins_block& block) {
  std::uint32_t bins[histogram_paired];
  compare_edges<File>(numbers, x, histogram_paired, bins);
  for (int i = 0; i < histogram_paired; ++i) block.bins[i] = static_cast<std::uint16_t>(bins[i]);
}

/// Counts a block whose bins repeat: at once if all are equal. Apart, since most do not.
template <class File>
[[gnu::noinline]] void count_repeated(const word_counters& given, const bins_block& block) {
  const word_counters counters = given;
  std::uint16_t differences = 0;
  for (const std::uint16_t bin : block.bins)
    differences = static_cast<std::uint16_t>(differences | (bin ^ block.bins[0]));
  if (differences == 0) return add_many<File>(counters, block.bins[0] & 255u, histogram_paired);
#pragma GCC unroll 16
  for (int i = 0; i < histogram_paired; ++i)
    add_one<File>(counters, i % histogram_copies, block.bins[i] & 255u);
}

/// Counts values block by block, see count_positions_function.
template <class File, class T>
std::int64_t count_positions(const position_numbers<T>& given_numbers, const pair_counters& given,
                             const T* values, std::int64_t count) {
  const position_numbers<T> numbers = given_numbers;
  const pair_counters counters = given;
  std::int64_t done = 0;
  for (; done + histogram_paired <= count; done += histogram_paired) {
    const T* const x = values + done;
    prefetch_block<File>(x);
    bins_block found;
    if (!find_by_position<File>(numbers, x, found)) find_by_edges<File>(numbers.edges, x, found);
    pair_block block;
    find_cells<File>(found, block);
    if (cells_repeat<File>(block)) {
      count_repeated<File>(counters.words, found);
    } else {
      count_cells<File>(counters, block);
    }
  }
  return done;
}

template <class File, class T>
constexpr value_kernels<T> value_kernels_of() {
  return {guess_bins<File, T>, compare_edges<File, T>, count_positions<File, T>};
}

template <class File>
constexpr guess_kernels guess_kernels_of() {
  return {value_kernels_of<File, float>(), value_kernels_of<File, double>()};
}

}  // namespace tandem::openmp_impl
