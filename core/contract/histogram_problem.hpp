// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/contract/element_type.hpp>
#include <tandem/core/extents.hpp>

#include <cstdint>

namespace tandem {

/// How a histogram's bins are specified.
enum class bin_rule : unsigned char {
  uniform,  ///< equal bins over [lo, hi], numpy.histogram's edges (histogram_bins.hpp)
  integer,  ///< bin b holds the value first + b
  edges     ///< bins between given ascending edges, the last one closed
};

/// A histogram as backends receive it: checked, rank 1, strides in elements.
///
/// Without weights the counts are integers of `count_bytes` bytes (4 or 8). With weights the sums
/// have `weight_type` (f32 or f64): reproducible fixed-point sums, see docs/numerics.md. Either
/// output is contiguous, has `bins` elements and is overwritten; if `adds` is set, store_sum() adds
/// sums to the old values. NaN and values outside are not counted.
///
/// The weights may be some of those that a sum takes: then `terms` counts all of them and `largest`
/// gives the scale. With `integers`, the problem ends there: spaces add up what each has found.
struct histogram_problem {
  /// Sums before they are converted, all in the space's memory and overwritten.
  struct integer_sums {
    std::uint64_t* limbs = nullptr;  ///< fixed_point::limbs per bin; null without integers
    /// A weight_flag set per bin: those of weights that are not finite; small, if a weight is, and
    /// not small, if the sum shows that a weight is neither small nor zero.
    std::uint32_t* flags = nullptr;
    void* largest = nullptr;  ///< the largest finite magnitude with a bin, of the weights' type
  };

  const void* x = nullptr;
  element_type x_type = element_type::f32;
  index_t size = 0;
  index_t x_stride = 1;

  bin_rule rule = bin_rule::uniform;
  index_t bins = 0;
  double lo = 0;      ///< uniform; exact in the type of x
  double hi = 0;      ///< uniform; exact in the type of x
  index_t first = 0;  ///< integer: the value of bin 0
  /// Edges: bins + 1 contiguous values of x's type, in the space's memory.
  const void* edges = nullptr;

  void* counts = nullptr;  ///< contiguous; null with weights
  int count_bytes = 4;

  const void* weights = nullptr;  ///< null without weights
  element_type weight_type = element_type::f32;
  index_t weight_stride = 1;
  void* sums = nullptr;
  bool adds = false;
  index_t terms = 0;         ///< of the whole sum; 0: `size`
  bool has_largest = false;  ///< the scale is that of `largest`, not that of the weights with bins
  /// Exact in the weights' type. Integers mean nothing if its exponent is less than that of theirs.
  double largest = 0;
  integer_sums integers;            ///< in place of `sums`; `has_largest` is set
  const char* label = "histogram";  ///< name of the operation in device errors

  bool is_weighted() const { return sums != nullptr || integers.limbs != nullptr; }
  index_t terms_of_sum() const { return terms == 0 ? size : terms; }
};

/// Stores the sum of a bin, or adds it with rounding to the old value; a sum of zero adds nothing,
/// so an element without terms keeps its bits.
template <class W>
TANDEM_FUNCTION constexpr void store_sum(W& result, W sum, bool adds) {
  if (!adds) {
    result = sum;
  } else if (sum != 0) {
    result += sum;
  }
}

}  // namespace tandem
