// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Arithmetic on the elements of a matmul, integers modulo 2^32. Everything has internal linkage, as
/// in micro_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// Returns a * b + c, rounded once.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline std::int32_t fused(std::int32_t a, std::int32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                   static_cast<std::uint32_t>(c));
}

inline float plus(float a, float b) { return a + b; }
inline double plus(double a, double b) { return a + b; }
inline std::int32_t plus(std::int32_t a, std::int32_t b) { return fused(a, 1, b); }

inline float times(float a, float b) { return a * b; }
inline double times(double a, double b) { return a * b; }
inline std::int32_t times(std::int32_t a, std::int32_t b) { return fused(a, b, 0); }

}  // namespace
}  // namespace tandem::openmp_impl
