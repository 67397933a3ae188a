// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Selection by vector instructions, where they can. The file of an instruction set includes this
/// header and no other of tandem's: an inline function that it compiled could otherwise be the copy
/// that the linker keeps for every CPU.
namespace tandem::openmp_impl {

/// Writes the flagged ones of `count` elements contiguously, in order, and returns their number. May
/// write up to `compress_slack` elements beyond them.
using compress_function = std::ptrdiff_t(const void* x, const bool* flags, std::ptrdiff_t count,
                                         void* kept);
inline constexpr std::ptrdiff_t compress_slack = 16;

/// For this processor and elements of `bytes` bytes; null where a loop over the elements is best.
compress_function* usable_compress(std::size_t bytes);

compress_function compress_words_avx512;
compress_function compress_double_words_avx512;

}  // namespace tandem::openmp_impl
