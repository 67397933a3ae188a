// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_key.hpp>

#include <cstddef>

/// Tuning of sorts on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Most keys of one sort. Offsets have 32 bits; with 64, the kernels for pairs need more registers
/// and are much slower.
inline constexpr std::size_t max_sorted_keys = 0xffffffffu;

/// Shape of a pass of CUB's radix sort over one 8-bit digit.
struct radix_policy {
  int block;  ///< threads per block
  int items;  ///< keys per thread; a block keeps them all in its 48 KiB of shared memory
};

/// Returns the passes for compute capability 9.0. The time is not a smooth function of the number
/// of items, because the generated code differs, so these are the best of all measured values.
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
