// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/memory/transpose/plan.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>

namespace tandem::cuda_impl {

/// Adds up the contributions of the bits [First, First + Count) of a word's number.
template <int First, int Count>
__device__ __forceinline__ tile_bit sum_bits(const tile_bit (&bits)[transpose_plan::max_bits],
                                             unsigned number) {
  tile_bit sum;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const bool set = (number >> i & 1) != 0;
    sum.offset += set ? bits[First + i].offset : 0;
    sum.coordinate |= set ? bits[First + i].coordinate : 0;
    sum.slot ^= set ? bits[First + i].slot : 0;
  }
  return sum;
}

/// Transposes the matrix of `Packed` rows and columns whose rows are the bytes of words, which are
/// bytes (4) or 16-bit numbers (2).
template <int Packed>
__device__ __forceinline__ void exchange_elements(unsigned* word) {
  if constexpr (Packed == 2) {
    const unsigned low = __byte_perm(word[0], word[1], 0x5410);
    word[1] = __byte_perm(word[0], word[1], 0x7632);
    word[0] = low;
  } else if constexpr (Packed == 4) {
    const unsigned low01 = __byte_perm(word[0], word[1], 0x5140);
    const unsigned high01 = __byte_perm(word[0], word[1], 0x7362);
    const unsigned low23 = __byte_perm(word[2], word[3], 0x5140);
    const unsigned high23 = __byte_perm(word[2], word[3], 0x7362);
    word[0] = __byte_perm(low01, low23, 0x5410);
    word[1] = __byte_perm(low01, low23, 0x7632);
    word[2] = __byte_perm(high01, high23, 0x5410);
    word[3] = __byte_perm(high01, high23, 0x7632);
  }
}

/// Copies one tile per block: 2^`Bits` words, which each thread loads before it stores the first.
/// Source and destination must not overlap.
template <class Word, int Bits, int Packed>
__global__ void __launch_bounds__(1 << transposes.block_bits)
    transpose_kernel(const __grid_constant__ transpose_plan plan, char* __restrict__ destination,
                     const char* __restrict__ source) {
  constexpr int lanes = transposes.block_bits;
  constexpr int words = 1 << (Bits - lanes);
  __shared__ Word tile[1 << Bits];
  ptx::grid_dependency_wait();
  unsigned bias = plan.bias;
  unsigned block = blockIdx.x;
  for (int d = plan.rank - 1; d >= 0; --d) {
    const unsigned outer = block / plan.tiles[d];
    const auto at = static_cast<index_t>(block - outer * plan.tiles[d]);
    destination += at * plan.step[0][d];
    source += at * plan.step[1][d];
    const index_t missing = (at + 1) * plan.span[d] - plan.extent[d];
    if (missing > 0) bias += static_cast<unsigned>(missing) << plan.shift[d];
    block = outer;
  }

  const tile_bit load = sum_bits<0, lanes>(plan.load, threadIdx.x);
  Word value[words];
#pragma unroll
  for (int i = 0; i < words; ++i) {
    const tile_bit word = sum_bits<lanes, Bits - lanes>(plan.load, i);
    if ((((load.coordinate | word.coordinate) + bias) & plan.guards) == 0)
      value[i] = *reinterpret_cast<const Word*>(source + load.offset + word.offset);
  }
#pragma unroll
  for (int i = 0; i < words; ++i) {
    if constexpr (Packed > 1) {
      if (i % Packed == 0) exchange_elements<Packed>(value + i);
    }
    tile[load.slot ^ sum_bits<lanes, Bits - lanes>(plan.load, i).slot] = value[i];
  }
  __syncthreads();
  const tile_bit store = sum_bits<0, lanes>(plan.store, threadIdx.x);
#pragma unroll
  for (int i = 0; i < words; ++i) {
    const tile_bit word = sum_bits<lanes, Bits - lanes>(plan.store, i);
    if ((((store.coordinate | word.coordinate) + bias) & plan.guards) == 0)
      *reinterpret_cast<Word*>(destination + store.offset + word.offset) =
          tile[store.slot ^ word.slot];
  }
}

}  // namespace tandem::cuda_impl
