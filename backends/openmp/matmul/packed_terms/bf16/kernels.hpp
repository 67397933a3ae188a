// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>

/// Products of bf16 as products of elements of 32 bits that hold two terms each.
namespace tandem::openmp_impl {

/// The range of an operand's magnitudes, which decides whether the instruction may multiply it: the
/// 15 bits without the sign, which order numbers by magnitude.
struct bf16_range {
  std::uint16_t largest = 0;   ///< magnitude of any
  std::uint16_t smallest = 0;  ///< 2^15 minus the least nonzero magnitude; 0 if all are zeros
};

/// The kernels of one instruction set; each element holds the bits of two bf16, not a float.
struct bf16_kernels {
  packed_terms_kernels<bf16, float> pairs;
  /// Widens `range` by the terms of `count` packed elements.
  void (*widen)(const float* packed, std::int64_t count, bf16_range& range);

  static const bf16_kernels avx512_bf16;
};

}  // namespace tandem::openmp_impl
