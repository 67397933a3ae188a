// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/contract/element_type.hpp>
#include <tandem/core/extents.hpp>

namespace tandem {

/// How a histogram's bins are given.
enum class bin_rule : unsigned char {
  uniform,  ///< equal bins over [lo, hi], numpy.histogram's edges (histogram_bins.hpp)
  integer,  ///< bin b holds the value first + b
  edges     ///< bins between given ascending edges, the last one closed
};

/// A histogram as backends get it: checked, rank 1, strides in elements.
///
/// Without weights the counts are integers of `count_bytes` bytes (4 or 8). With weights the sums
/// are of `weight_type` (f32 or f64): order-free fixed point, see docs/numerics.md. Either output
/// is overwritten, contiguous, and has `bins` elements; sums are added to what is there where
/// `adds` says so, by store_sum(). NaN and values outside are not counted.
struct histogram_problem {
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
  const char* label = "histogram";  ///< the operation, in the errors of a device
};

/// Stores the sum of a bin, or adds it, rounded, to what is there; a sum of zero adds nothing, so
/// that an element without terms keeps its bits.
template <class W>
TANDEM_FUNCTION constexpr void store_sum(W& result, W sum, bool adds) {
  if (!adds) {
    result = sum;
  } else if (sum != 0) {
    result += sum;
  }
}

}  // namespace tandem
