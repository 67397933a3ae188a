// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/table.hpp>

#include <cstdint>
#include <limits>

/// Weights in fixed point. Everything has internal linkage, so that the file of each instruction
/// set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Returns what a block of weights is like.
template <class W>
[[gnu::always_inline]] inline weight_facts<W> inspect_weights(const W* weights,
                                                              const std::uint32_t* bins,
                                                              std::uint32_t number_of_bins,
                                                              int count) {
  constexpr W most = std::numeric_limits<W>::max();
  constexpr W above = std::numeric_limits<W>::infinity();
  unsigned finite = 1;
  W largest = 0;
  W least = above;
#pragma omp simd reduction(& : finite) reduction(max : largest) reduction(min : least)
  for (int i = 0; i < count; ++i) {
    const W w = weights[i];
    const W magnitude = w < 0 ? -w : w;
    const bool is_finite = magnitude <= most;
    finite &= static_cast<unsigned>(is_finite);
    const W counted = is_finite && bins[i] < number_of_bins ? magnitude : W{0};
    const W counted_or_above = counted > 0 ? counted : above;
    largest = largest < counted ? counted : largest;
    least = counted_or_above < least ? counted_or_above : least;
  }
  return {largest, least, finite != 0};
}

/// Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits, so that the loop
/// vectorises without a conversion.
template <class W>
weight_facts<W> split_weights(const weight_scales& scales, const W* weights,
                              const std::uint32_t* bins, std::uint32_t number_of_bins, int count,
                              std::uint64_t* whole, std::uint64_t* fraction) {
  constexpr double magic = 0x1.8p52;
  constexpr auto magic_bits = __builtin_bit_cast(std::uint64_t, magic);
  constexpr W largest = std::numeric_limits<W>::max();
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const W w = weights[i];
    const bool is_finite = w >= -largest && w <= largest;
    const double scaled = static_cast<double>(is_finite ? w : W{0}) * scales.whole;
    const double rounded = scaled + magic;
    whole[i] = __builtin_bit_cast(std::uint64_t, rounded) - magic_bits;
    if constexpr (sizeof(W) == 8) {
      const double rest = (scaled - (rounded - magic)) * scales.fraction + magic;
      fraction[i] = __builtin_bit_cast(std::uint64_t, rest) - magic_bits;
    }
  }
  return inspect_weights(weights, bins, number_of_bins, count);
}

}  // namespace
}  // namespace tandem::openmp_impl
