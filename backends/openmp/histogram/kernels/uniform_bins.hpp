// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/counters.hpp>

#include <cstdint>

/// Guesses of uniform bins in blocks, one version an instruction set. The files of those include
/// this header, the loops of histogram_guess_loop.hpp and no other of tandem's: an inline function
/// that one of them compiled could otherwise be the copy that the linker keeps for every CPU.
namespace tandem::openmp_impl {

/// uniform_bin_rule's estimate and number of bins.
template <class T>
struct guess_numbers {
  T inverse;
  T offset;
  T certain;
  std::uint32_t bins;
};

/// Writes a number for each of `count` values: its bin if that is certain, `bins` if it certainly
/// has none, `bins` + 1 if it takes a closer look. Returns whether any does.
template <class T>
using guess_bins_function = bool(const guess_numbers<T>& numbers, const T* x, int count,
                                 std::uint32_t* bins);

/// Numbers of uniform_bin_rule that tell which edge is nearest to a value, and where it is.
template <class T>
struct edge_numbers {
  T lo;
  T hi;
  T inverse;
  T offset;
  double origin;
  double step;
  std::uint32_t bins;
};

/// Writes the bin of each of `count` values, or `bins` if it has none, by a comparison with the
/// nearest edge: twice a guess's work, but never in doubt.
template <class T>
using compare_edges_function = void(const edge_numbers<T>& numbers, const T* x, int count,
                                    std::uint32_t* bins);

/// Positions in units of 2^-16 bins, less the largest error that they may have: x * scale + offset,
/// moved to `low` or `high` if it lies beyond those, and truncated, has the bin in the upper half,
/// which is certain if the lower half is at most `largest_fraction`, 2^16 less twice that error.
template <class T>
struct position_numbers {
  T scale;
  T offset;
  T low;   ///< half a bin below the first
  T high;  ///< half a bin above the last
  std::uint16_t largest_fraction;
  edge_numbers<T> edges;  ///< for the others
};

/// Counts the pairs of `count` values, whose bins are at most 255, block by block. Returns how many
/// values that are: all but the last ones, which do not fill a block.
template <class T>
using count_positions_function = std::int64_t(const position_numbers<T>& numbers,
                                              const pair_counters& counters, const T* values,
                                              std::int64_t count);

/// The loops for values of one type.
template <class T>
struct value_kernels {
  guess_bins_function<T>* guess;
  compare_edges_function<T>* compare;
  count_positions_function<T>* pairs;
};

struct guess_kernels {
  value_kernels<float> f32;
  value_kernels<double> f64;

  template <class T>
  const value_kernels<T>& of() const {
    if constexpr (sizeof(T) == 4) {
      return f32;
    } else {
      return f64;
    }
  }
};

extern const guess_kernels guess_baseline;
#if defined(__x86_64__)
extern const guess_kernels guess_avx512;
extern const guess_kernels guess_avx2;
#endif

/// The fastest ones for this CPU.
const guess_kernels& usable_guess_kernels();

}  // namespace tandem::openmp_impl
