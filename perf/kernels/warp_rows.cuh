// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// A warp per row of a matrix, whose elements are kept in registers: what the hand-written CUDA
/// versions of the kernels over rows share.
namespace perf {

/// Words of 16 bytes that a lane keeps: rows of at most 32 * 4 * row_words elements.
inline constexpr int row_words = 8;

/// `value` of all lanes of a warp combined, in all lanes.
template <class Operation>
__device__ float warp_all(float value, const Operation& operation) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

/// The words of a row of `words` that this lane has: lane, lane + 32, .. Others are `filler`.
__device__ inline void load_row(float4 (&kept)[row_words], const float4* __restrict__ row,
                                int words, int lane, float filler) {
#pragma unroll
  for (int w = 0; w < row_words; ++w) {
    const int at = lane + 32 * w;
    kept[w] = at < words ? __ldg(row + at) : make_float4(filler, filler, filler, filler);
  }
}

}  // namespace perf
