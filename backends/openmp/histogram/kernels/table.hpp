// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/policy.hpp>
#include <tandem/core/contract/histogram_bins.hpp>

#include <cstdint>

/// The kernels that the file of each instruction set provides for histograms.
namespace tandem::openmp_impl {

/// A thread's counters of words; if there are many bins, all copies are the same.
struct word_counters {
  std::uint32_t* copies[histogram_copies];
};

/// A thread's counters of bytes, with words for the overflow. They take a quarter of the memory, so
/// that more values find their bin in a near cache.
struct byte_counters {
  std::uint8_t* bytes;
  std::uint32_t* words;
};

/// A thread's counters of pairs, one byte each, with words for bytes that overflow and for values
/// that are counted one by one.
struct pair_counters {
  std::uint8_t* cells;
  word_counters words;
};

/// Counts the bins values[i] - first, modulo 2^32, of `count` values; ignores those not below
/// `bins`.
template <class Counters>
using count_runs_function = void(const Counters& counters, const std::uint32_t* values,
                                 std::int64_t count, std::uint32_t first, std::uint32_t bins);

/// Adds the pairs in the cells to the first copy of the words, which has `bins` bins.
using fold_pairs_function = void(const pair_counters& counters, int bins);

/// Writes a number for each of `count` values: its bin if that is certain, `number_of_bins` if it
/// certainly has none, `number_of_bins` + 1 if it is uncertain. Returns whether any is uncertain.
template <class T>
using estimate_bins_function = bool(const typename uniform_bin_rule<T>::estimate& numbers,
                                    std::uint32_t number_of_bins, const T* x, int count,
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

/// Writes the bin of each of `count` values, or `bins` if it has none, by a comparison with the
/// nearest edge: twice the work of an estimate, but never uncertain.
template <class T>
using compare_edges_function = void(const uniform_edges<T>& numbers, const T* x, int count,
                                    std::uint32_t* bins);

/// Positions in fixed point, in units of 2^-16 bins, minus their largest error: x * scale + offset,
/// clamped to [low, high] and truncated. The upper half is the bin, which is certain if the lower
/// half is at most `largest_fraction`, 2^16 minus twice that error.
template <class T>
struct fixed_point_position {
  T scale;
  T offset;
  T low;   ///< half a bin below the first
  T high;  ///< half a bin above the last
  std::uint16_t largest_fraction;
  uniform_edges<T> edges;  ///< decide uncertain positions
};

/// Counts `count` values, whose bins are at most 255, in pairs, block by block. Returns the number
/// of values counted: all but those at the end that do not fill a block.
template <class T>
using count_fixed_point_pairs_function = std::int64_t(const fixed_point_position<T>& numbers,
                                                      const pair_counters& counters,
                                                      const T* values, std::int64_t count);

/// 2^q and 2^p of a fixed_point.
struct weight_scales {
  double whole;
  double fraction;
};

/// What a block of weights is like. The magnitudes are those of finite weights with bins.
template <class W>
struct weight_facts {
  W largest;    ///< 0 if there is none
  W least;      ///< of those that are not 0; above all finite numbers if there is none
  bool finite;  ///< all weights are
};

/// Splits weights as fixed_point::split() does, provided that its parts are below 2^51. Weights
/// that are not finite become 0. Floats have no second part. A weight without a bin has the number
/// `number_of_bins`.
template <class W>
using split_weights_function = weight_facts<W>(const weight_scales& scales, const W* weights,
                                               const std::uint32_t* bins,
                                               std::uint32_t number_of_bins, int count,
                                               std::uint64_t* whole, std::uint64_t* fraction);

/// The kernels for floating-point values of one type: in uniform bins, and as weights.
template <class T>
struct floating_point_kernels {
  estimate_bins_function<T>* estimate;
  compare_edges_function<T>* compare;
  count_fixed_point_pairs_function<T>* pairs;
  split_weights_function<T>* split;
};

/// The kernels of one instruction set.
struct histogram_kernels {
  count_runs_function<word_counters>* words;
  count_runs_function<byte_counters>* bytes;
  count_runs_function<pair_counters>* pairs;
  fold_pairs_function* fold_pairs;
  floating_point_kernels<float> f32;
  floating_point_kernels<double> f64;

  template <class T>
  const floating_point_kernels<T>& of() const {
    if constexpr (sizeof(T) == 4) {
      return f32;
    } else {
      return f64;
    }
  }

  static const histogram_kernels baseline;
  static const histogram_kernels avx2;
  static const histogram_kernels avx512;
};

}  // namespace tandem::openmp_impl
