// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Selection by vector instructions, if the processor has suitable ones.
namespace tandem::openmp_impl {

/// Writes the flagged ones of `count` elements contiguously, in order, and returns their number.
/// May write up to `compress_slack` elements beyond them.
using compress_function = std::ptrdiff_t(const void* x, const bool* flags, std::ptrdiff_t count,
                                         void* kept);
inline constexpr std::ptrdiff_t compress_slack = 16;

/// The kernels for elements of 4 and 8 bytes; null if a loop over the elements is fastest.
struct compress_kernels {
  compress_function* words = nullptr;
  compress_function* double_words = nullptr;

  static const compress_kernels baseline;
  static const compress_kernels avx512;
};
inline constexpr compress_kernels compress_kernels::baseline{};

}  // namespace tandem::openmp_impl
