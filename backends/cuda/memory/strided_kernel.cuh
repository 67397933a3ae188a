// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/memory/strided_words.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>

/// What the strided copy and fill kernels have in common.
namespace tandem::cuda_impl {

/// Computes the offset of word number `word` of the box on each side; the last dimension is the
/// fastest. Count has 32 bits when the box permits, because 32-bit divisions take a third of the
/// instructions.
template <std::size_t Sides, class Count>
__device__ inline void word_offsets(const strided_words<Sides>& box, Count word,
                                    index_t (&offset)[Sides]) {
  for (std::size_t side = 0; side < Sides; ++side) offset[side] = 0;
  for (int d = box.rank - 1; d > 0; --d) {
    const Count outer = word / static_cast<Count>(box.extent[d]);
    const Count at = word - outer * static_cast<Count>(box.extent[d]);
    for (std::size_t side = 0; side < Sides; ++side)
      offset[side] += static_cast<index_t>(at) * box.stride[side][d];
    word = outer;
  }
  for (std::size_t side = 0; side < Sides; ++side)
    offset[side] += static_cast<index_t>(word) * box.stride[side][0];
}

/// Launch shape of a kernel whose threads each move strided_kernels.words of `words` words, one
/// block apart, after waiting for preceding work.
inline launch_shape strided_launch(index_t words, const char* label) {
  return {.grid = dim3(static_cast<unsigned>(ceil_div(words, index_t{strided_tile}))),
          .block = dim3(static_cast<unsigned>(strided_kernels.block)),
          .label = label,
          .programmatic_launch = true};
}

/// Calls visit.operator()<Word>() with the word type that has `word_bytes` bytes.
template <class Visit>
void visit_word_type(std::size_t word_bytes, const Visit& visit) {
  switch (word_bytes) {
    case 1:
      return visit.template operator()<unsigned char>();
    case 2:
      return visit.template operator()<unsigned short>();
    case 4:
      return visit.template operator()<unsigned>();
    case 8:
      return visit.template operator()<uint2>();
    default:
      return visit.template operator()<uint4>();
  }
}

/// Whether 32 bits hold every word number of a box of `words` words, including those past the end
/// in the last tile.
constexpr bool fits_32_bits(index_t words) { return words <= index_t{1} << 31; }

}  // namespace tandem::cuda_impl
