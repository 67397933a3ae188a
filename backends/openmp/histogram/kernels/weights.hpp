// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/table.hpp>

#include <cstdint>
#include <limits>

/// Weights in fixed point. Everything has internal linkage, so that the file of each instruction
/// set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits, so that the loop
/// vectorises without a conversion.
template <class W>
bool split_weights(const weight_scales& scales, const W* weights, int count, std::uint64_t* whole,
                   std::uint64_t* fraction) {
  constexpr double magic = 0x1.8p52;
  constexpr auto magic_bits = __builtin_bit_cast(std::uint64_t, magic);
  constexpr W largest = std::numeric_limits<W>::max();
  unsigned finite = 1;
#pragma omp simd reduction(& : finite)
  for (int i = 0; i < count; ++i) {
    const W w = weights[i];
    const bool is_finite = w >= -largest && w <= largest;
    finite &= static_cast<unsigned>(is_finite);
    const double scaled = static_cast<double>(is_finite ? w : W{0}) * scales.whole;
    const double rounded = scaled + magic;
    whole[i] = __builtin_bit_cast(std::uint64_t, rounded) - magic_bits;
    if constexpr (sizeof(W) == 8) {
      const double rest = (scaled - (rounded - magic)) * scales.fraction + magic;
      fraction[i] = __builtin_bit_cast(std::uint64_t, rest) - magic_bits;
    }
  }
  return finite != 0;
}

}  // namespace
}  // namespace tandem::openmp_impl
