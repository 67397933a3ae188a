// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram_guess_loop.hpp>
#include <tandem/backends/openmp/histogram_pairs_loop.hpp>

/// The loop over pairs of floating-point values that each instruction set's file compiles; see
/// histogram_runs_loop.hpp for `File`.
namespace tandem::openmp_impl {

/// Finds the bins of a block by position. Returns whether all are certain.
template <class File, class T>
[[gnu::always_inline]] inline bool find_by_position(const position_numbers<T>& numbers, const T* x,
                                                    bins_block& block) {
  const auto margin = numbers.margin;
  std::uint16_t farthest = 0;
  for (int i = 0; i < histogram_paired; ++i) {
    const T position = x[i] * numbers.scale + numbers.offset;
    const T above = position > numbers.low ? position : numbers.low;  // NaN becomes low
    const T inside = above < numbers.high ? above : numbers.high;
    const auto fixed = static_cast<std::uint32_t>(static_cast<std::int32_t>(inside));
    block.bins[i] = static_cast<std::uint16_t>(fixed >> 16);
    const auto beyond = static_cast<std::uint16_t>(static_cast<std::uint16_t>(fixed) - margin);
    farthest = farthest > beyond ? farthest : beyond;
  }
  return farthest <= 65536 - 2 * margin;
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
    if (bins_repeat<File>(found)) {
      count_repeated<File>(counters.words, found);
      continue;
    }
    pair_block block;
    find_cells<File>(found, block);
    count_cells<File>(counters, block);
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
