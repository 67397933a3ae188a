// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_key.hpp>

#include <cstddef>

/// Tuning of sorts on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// Most keys of one sort: offsets are 32-bit. With offsets of 64 bits the kernels of pairs need
/// more registers and take 45 % longer (3.73 and 5.39 ms for 2^27 pairs of 4 + 4 bytes).
inline constexpr std::size_t max_sorted_keys = 0xffffffffu;

/// A pass of CUB's radix sort over one digit of 8 bits.
struct radix_policy {
  int block;  ///< threads of a block
  int items;  ///< keys of a thread; a block keeps them all in its 48 KiB of shared memory
};

/// For compute capability 9.0. The time jumps up and down with the number of items, by 10 to 20 %,
/// with the code that comes out, so that nothing but trying tells. On an H200, ms for 2^27 keys by
/// items: u32 17: 3.45, 19: 2.72, 20: 3.17 (CUB's own choice), 21: 3.11, 23: 2.99; f32 19: 2.83,
/// 21: 2.74; f32 descending 21: 3.16, 23: 3.06; f64 13: 7.72, 15: 8.76; f64 descending 13: 9.05,
/// 15: 8.39.
///
/// @param value_bytes  0 without values, or 4
constexpr radix_policy select_radix(std::size_t key_bytes, key_kind kind, sort_order order,
                                    std::size_t value_bytes) {
  const bool floating = kind == key_kind::floating_point;
  const bool up = order == sort_order::ascending;
  if (key_bytes == 8) return {.block = 384, .items = floating && up ? 13 : 15};
  if (value_bytes > 0) return {.block = 384, .items = 23};
  return {.block = 384, .items = !floating ? 19 : up ? 21 : 23};
}

}  // namespace tandem::cuda_impl
