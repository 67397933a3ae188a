// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/space.hpp>
#include <tandem/core/extents.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// Prefix sums of contiguous integers. Wrapping sums are exact in any order, so CUB does them; its
/// headers cost seconds of compile time and stay inside the library.
namespace tandem::cuda_impl {

/// y[i] = x[0] + .. + x[i], or for an exclusive scan init + x[0] + .. + x[i - 1]. y may be x. In
/// the stream's order. Errors: device_error, out_of_memory_error.
void scan_words(const cuda& space, const std::uint32_t* x, std::uint32_t* y, index_t n,
                bool exclusive, std::uint32_t init);
void scan_words(const cuda& space, const std::uint64_t* x, std::uint64_t* y, index_t n,
                bool exclusive, std::uint64_t init);

/// The same for any integer type of 4 or 8 bytes: signed sums wrap to the same bits.
template <std::integral T>
void scan_integers(const cuda& space, const T* x, T* y, index_t n, bool exclusive, T init) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(T) == sizeof(Word));
  scan_words(space, reinterpret_cast<const Word*>(x), reinterpret_cast<Word*>(y), n, exclusive,
             static_cast<Word>(init));
}

}  // namespace tandem::cuda_impl
