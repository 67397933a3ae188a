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
struct uniform_bins_estimate {
  T inverse;
  T offset;
  T certain;
  std::uint32_t bins;
};

/// Writes a number for each of `count` values: its bin if that is certain, `bins` if it certainly has
/// none, `bins` + 1 if it is uncertain. Returns whether any is uncertain.
template <class T>
using estimate_bins_function = bool(const uniform_bins_estimate<T>& numbers, const T* x, int count,
                                    std::uint32_t* bins);

/// The numbers of a uniform_bin_rule from which the edge nearest to a value is computed.
template <class T>
struct uniform_edges {
  T lo;
  T hi;
  T inverse;
  T offset;
  double origin;
  double step;
  std::uint32_t bins;
};

/// Writes the bin of each of `count` values, or `bins` if it has none, by a comparison with the nearest
/// edge: twice the work of an estimate, but never uncertain.
template <class T>
using compare_edges_function = void(const uniform_edges<T>& numbers, const T* x, int count,
                                    std::uint32_t* bins);

/// Positions in fixed point, in units of 2^-16 bins, less their largest error: x * scale + offset,
/// clamped to [low, high] and truncated, has the bin in its upper half, which is certain if the lower
/// half is at most `largest_fraction`, 2^16 less twice that error.
template <class T>
struct fixed_point_position {
  T scale;
  T offset;
  T low;   ///< half a bin below the first
  T high;  ///< half a bin above the last
  std::uint16_t largest_fraction;
  uniform_edges<T> edges;  ///< decide uncertain positions
};

/// Counts `count` values, whose bins are at most 255, in pairs, block by block. Returns the number of
/// values counted: all but the last ones, which do not fill a block.
template <class T>
using count_fixed_point_pairs_function = std::int64_t(const fixed_point_position<T>& numbers,
                                                      const pair_counters& counters,
                                                      const T* values, std::int64_t count);

/// The loops for values of one type.
template <class T>
struct value_kernels {
  estimate_bins_function<T>* guess;
  compare_edges_function<T>* compare;
  count_fixed_point_pairs_function<T>* pairs;
};

struct uniform_bins_kernels {
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

extern const uniform_bins_kernels uniform_bins_baseline;
#if defined(__x86_64__)
extern const uniform_bins_kernels uniform_bins_avx512;
extern const uniform_bins_kernels uniform_bins_avx2;
#endif

/// The fastest ones for this CPU.
const uniform_bins_kernels& usable_uniform_bins_kernels();

}  // namespace tandem::openmp_impl
