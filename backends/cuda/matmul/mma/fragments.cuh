// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>

#include <type_traits>

namespace tandem::cuda_impl {

/// The accumulator type of the tensor cores for elements of In.
template <class In>
using mma_sum_t = std::conditional_t<std::is_integral_v<In>, std::int32_t, float>;

/// c += a * b for 16 x 8 sums and 32 bytes of terms, in the fragments of ptx::mma_bf16.
template <class In>
__device__ __forceinline__ void multiply_mma(mma_sum_t<In> (&c)[4], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  if constexpr (std::is_same_v<In, bf16>) {
    ptx::mma_bf16(c, a, b0, b1);
  } else if constexpr (std::is_same_v<In, half>) {
    ptx::mma_half(c, a, b0, b1);
  } else if constexpr (std::is_same_v<In, float>) {
    ptx::mma_tf32(c, a, b0, b1);
  } else {
    ptx::mma_int8(c, a, b0, b1);
  }
}

/// A warp's double-buffered fragments of one operand: `Blocks` times 16 rows of a (columns of b) by
/// 32 bytes of terms. For a, the four registers of 16 rows hold rows 0 to 7 and 8 to 15 in the
/// first 16 bytes, then both in the second. The instruction takes 8 columns of b and two adjacent
/// registers, so b has both halves of columns 0 to 7, then of columns 8 to 15.
template <int Blocks, bool OfB>
class mma_fragments {
 public:
  std::uint32_t data[2][static_cast<unsigned>(Blocks)][4];

  /// For the rows of an operand starting at `first`; the tile has `outer` rows of it.
  __device__ __forceinline__ mma_fragments(mma_access access, int outer, int first, int lane)
      : transposed_(access == mma_access::mn_major_vectorized) {
    const int pitch = mma_tile::outer_pitch(outer);
    const int row = lane % 8 + (OfB ? lane / 16 : lane / 8 % 2) * 8;
    const int bytes = (OfB ? lane / 8 % 2 : lane / 16) * 16;  // of terms
    // If transposed, a lane supplies the address of a term with 8 rows.
    const int term = lane % 8 + bytes / 2;
    offset_ = transposed_ ? term * pitch + (row / 8 * 8 + first) * 2
                          : (row + first) * mma_tile::terms_pitch + bytes;
    block_step_ = transposed_ ? 32 : 16 * mma_tile::terms_pitch;
    term_step_ = transposed_ ? 16 * pitch : 32;
  }

  /// Rounds floats to tf32.
  __device__ __forceinline__ void round(int buffer) {
#pragma unroll
    for (int i = 0; i < 4 * Blocks; ++i)
      data[buffer][i / 4][i % 4] = ptx::round_tf32(data[buffer][i / 4][i % 4]);
  }

  /// Loads the terms at byte offset `step` * 32 from the operand's part of a stage.
  __device__ __forceinline__ void load(int buffer, std::uint32_t stage, int step) {
    const std::uint32_t from = stage + offset_ + step * term_step_;
#pragma unroll
    for (int i = 0; i < Blocks; ++i) {
      ptx::load_matrices(data[buffer][i], from + i * block_step_, transposed_);
    }
  }

 private:
  bool transposed_;
  int offset_;
  int block_step_;
  int term_step_;
};

/// A warp's sums: Rows x Columns blocks of 16 x 8 elements of the tile.
template <class In, int Rows, int Columns>
class mma_sums {
 public:
  using Sum = mma_sum_t<In>;
  static constexpr unsigned count = static_cast<unsigned>(Rows * Columns);

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (unsigned i = 0; i < count; ++i)
      for (int j = 0; j < 4; ++j) sums_[i][j] = Sum{0};
  }

  __device__ __forceinline__ void multiply(mma_fragments<Rows, false>& a,
                                           mma_fragments<Columns / 2, true>& b, int buffer) {
    if constexpr (std::is_same_v<In, float>) {
      a.round(buffer);
      b.round(buffer);
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        const std::uint32_t* const column = &b.data[buffer][j / 2][j % 2 * 2];
        multiply_mma<In>(sums_[i * Columns + j], a.data[buffer][i], column[0], column[1]);
      }
    }
  }

  /// Adds the sums to totals in memory that only this thread uses, `stride` elements apart. If
  /// `first`, stores the sums as the totals.
  __device__ __forceinline__ void add_to(Sum* totals, int stride, bool first) const {
#pragma unroll
    for (unsigned i = 0; i < 4 * count; ++i) {
      const Sum sum = sums_[i / 4][i % 4];
      totals[i * stride] = first ? sum : add(totals[i * stride], sum);
    }
  }
  /// Adds totals in memory to the sums.
  __device__ __forceinline__ void add_from(const Sum* totals, int stride) {
#pragma unroll
    for (unsigned i = 0; i < 4 * count; ++i)
      sums_[i / 4][i % 4] = add(totals[i * stride], sums_[i / 4][i % 4]);
  }

  /// Writes the sums to the warp's part of a tile in shared memory, which starts at `tile`.
  __device__ __forceinline__ void store(Sum* tile, int pitch, int lane) const {
    Sum* const mine = tile + lane / 4 * pitch + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        const auto& block = sums_[i * Columns + j];
        Sum* const upper = mine + i * 16 * pitch + j * 8;
        upper[0] = block[0];
        upper[1] = block[1];
        upper[8 * pitch] = block[2];
        upper[8 * pitch + 1] = block[3];
      }
    }
  }

 private:
  __device__ __forceinline__ static Sum add(Sum x, Sum y) {
    if constexpr (std::is_integral_v<Sum>) return tandem::detail::multiply_add(x, Sum{1}, y);
    return x + y;
  }

  Sum sums_[count][4];
};

}  // namespace tandem::cuda_impl
