// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/pair_loop.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_bins_loop.hpp>

/// The loop over pairs of floating-point values that each instruction set's file compiles; see
/// histogram_runs_loop.hpp for `File`.
namespace tandem::openmp_impl {

/// Returns the position of a value, see fixed_point_position.
template <class File, class T>
[[gnu::always_inline]] inline std::uint32_t fixed_point_of(const fixed_point_position<T>& numbers,
                                                           T x) {
  const T position = x * numbers.scale + numbers.offset;
  const T above = position > numbers.low ? position : numbers.low;  // NaN becomes low
  const T inside = above < numbers.high ? above : numbers.high;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(inside));
}

/// Finds the bins of a block by position and stores them two to a word, interleaved, which takes fewer
/// instructions than narrowing vectors. Returns whether all are certain.
template <class File, class T>
[[gnu::always_inline]] inline bool find_by_fixed_point(const fixed_point_position<T>& numbers,
                                                       const T* x, bins_block& block) {
  const std::uint32_t largest = std::uint32_t{numbers.largest_fraction} << 16;
  std::uint32_t farthest = 0;
  for (int i = 0; i < histogram_pairs; ++i) {
    const std::uint32_t one = fixed_point_of<File>(numbers, x[i]);
    const std::uint32_t other = fixed_point_of<File>(numbers, x[i + histogram_pairs]);
    const std::uint32_t bins = one >> 16 | (other & 0xffff0000u);
    __builtin_memcpy(block.bins + 2 * i, &bins, sizeof bins);
    const std::uint32_t farther = one << 16 > other << 16 ? one << 16 : other << 16;
    farthest = farthest > farther ? farthest : farther;
  }
  return farthest <= largest;
}

/// Finds the bins of a block by comparisons. Not inlined: most blocks need none.
template <class File, class T>
[[gnu::noinline]] void find_by_edges(const uniform_edges<T>& numbers, const T* x,
                                     bins_block& block) {
  std::uint32_t bins[histogram_paired];
  compare_edges<File>(numbers, x, histogram_paired, bins);
  for (int i = 0; i < histogram_paired; ++i) block.bins[i] = static_cast<std::uint16_t>(bins[i]);
}

/// Counts a block whose bins repeat: at once if all are equal. Not inlined: most do not.
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

/// Counts values block by block, see count_fixed_point_pairs_function.
template <class File, class T>
std::int64_t count_fixed_point_pairs(const fixed_point_position<T>& given_numbers,
                                     const pair_counters& given, const T* values,
                                     std::int64_t count) {
  const fixed_point_position<T> numbers = given_numbers;
  const pair_counters counters = given;
  std::int64_t done = 0;
  for (; done + histogram_paired <= count; done += histogram_paired) {
    const T* const x = values + done;
    prefetch_block<File>(x);
    bins_block found;
    if (!find_by_fixed_point<File>(numbers, x, found)) find_by_edges<File>(numbers.edges, x, found);
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
constexpr value_kernels<T> make_value_kernels() {
  return {estimate_bins<File, T>, compare_edges<File, T>, count_fixed_point_pairs<File, T>};
}

template <class File>
constexpr uniform_bins_kernels make_uniform_bins_kernels() {
  return {make_value_kernels<File, float>(), make_value_kernels<File, double>()};
}

}  // namespace tandem::openmp_impl
