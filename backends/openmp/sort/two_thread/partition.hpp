// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// A line of keys divided at a pivot by vector instructions, where they can. The file of an
/// instruction set includes this header and no other of tandem's, see select_compress.hpp.
namespace tandem::openmp_impl {

/// How a key of 4 or 8 bytes becomes its rank, for every order of core/contract/sort_key.hpp:
/// rank = (((key ^ (key < 0 ? negative : 0)) ^ flip) - offset) ^ last. All zero: words stay.
struct rank_form {
  std::uint64_t negative;
  std::uint64_t flip;
  std::uint64_t offset;
  std::uint64_t last;
};

/// Writes the ranks of `count` keys to as much memory, those below the pivot first, in any order,
/// and returns how many these are. `ranks` may be the keys' own memory.
using partition_function = std::ptrdiff_t(const void* keys, std::ptrdiff_t count,
                                          const rank_form& form, std::uint64_t pivot, void* ranks);
/// Makes keys of `count` ranks, in place.
using restore_function = void(void* ranks, std::ptrdiff_t count, const rank_form& form);

/// Which zeros are among floating point keys: `has_zero`, `has_negative_zero`, both or neither.
using zeros_function = unsigned(const void* keys, std::ptrdiff_t count);
inline constexpr unsigned has_zero = 1;
inline constexpr unsigned has_negative_zero = 2;

/// What this processor has for words of `bytes` bytes; null where there is nothing.
struct partition_kernels {
  partition_function* partition;
  restore_function* restore;
  zeros_function* zeros;
};
partition_kernels usable_partition(std::size_t bytes);

partition_function partition_words_avx512;
partition_function partition_double_words_avx512;
restore_function restore_words_avx512;
restore_function restore_double_words_avx512;
zeros_function zeros_of_words_avx512;
zeros_function zeros_of_double_words_avx512;

}  // namespace tandem::openmp_impl
