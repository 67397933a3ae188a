// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>

namespace tandem::cuda_impl {

/// How a block's threads copy steps of k of `Outer` rows of a (columns of b) into a stage, 16 bytes
/// per thread and pass. Rows and terms out of range become 0, whose products add nothing. Runs that
/// are not aligned to 16 bytes are copied in pieces of 8 or 4.
///
/// The access is known only at run time, so that one kernel reads all layouts. They differ in the
/// rows and terms from pass to pass, in strides, and in what is adjacent in shared memory: the
/// terms of a row or, for mn_major_vectorized, the rows of a term, which ldmatrix transposes.
template <class In, int Outer, int Threads>
class mma_loader {
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int width = 16 / size;                    // elements per 16 bytes
  static constexpr int depth = mma_tile::step_bytes / size;  // terms per step
  static constexpr int chunks = mma_tile::step_bytes / 16;   // per row
  static constexpr int passes = Outer * chunks / Threads;
  static_assert(Outer * chunks % Threads == 0 && Threads % Outer == 0);

 public:
  __device__ __forceinline__ mma_loader(const In* source, const matmul_operand<In>& operand,
                                        mma_access access, int piece, int first, index_t extent,
                                        int thread)
      : access_(access), piece_(piece), k_stride_(operand.k_stride) {
    constexpr int lanes = Outer / width;  // per 16 bytes of each row
    const bool by_row = access == mma_access::mn_major;
    const bool by_term = access == mma_access::mn_major_vectorized;
    const int row = by_row ? thread % Outer : by_term ? thread % lanes * width : thread / chunks;
    term_ = by_row ? thread / Outer * width : by_term ? thread / lanes : thread % chunks * width;
    const int row_pitch = by_term ? size : mma_tile::terms_pitch;
    const int term_pitch = by_term ? mma_tile::outer_pitch(Outer) : size;
    target_ = static_cast<std::uint32_t>(row * row_pitch + term_ * term_pitch);
    pass_pitch_ = row_step() * row_pitch + term_step() * term_pitch;
    rows_left_ = static_cast<int>(extent) - first - row;
    whole_ = static_cast<int>(extent) - first >= Outer &&
             (access == mma_access::k_major_vectorized || by_term);
    source_ = source + (first + row) * operand.outer_stride + term_ * k_stride_;
    pass_stride_ = row_step() * operand.outer_stride + term_step() * k_stride_;
  }

  /// Issues the copy of the next step; `terms` terms remain from there.
  __device__ __forceinline__ void copy(std::uint32_t stage, int terms) {
    if (whole_ && terms >= depth) {
      if (piece_ == 16) copy_whole<16>(stage + target_);
      if (piece_ == 8) copy_whole<8>(stage + target_);
      if (piece_ == 4) copy_whole<4>(stage + target_);
    } else if (piece_ == 8) {
      copy_pieces<8>(stage + target_, terms - term_);
    } else if (piece_ == 4) {
      copy_pieces<4>(stage + target_, terms - term_);
    } else if (access_ == mma_access::k_major_vectorized ||
               access_ == mma_access::mn_major_vectorized) {
      copy_vectorized(stage + target_, terms - term_);
    } else {
      copy_elements(stage + target_, terms - term_);
    }
    source_ += depth * k_stride_;
  }

 private:
  /// Rows and terms from pass to pass.
  __device__ __forceinline__ int row_step() const {
    const bool by_row = access_ == mma_access::k_major_vectorized || access_ == mma_access::k_major;
    return by_row ? Threads / chunks : 0;
  }
  __device__ __forceinline__ int term_step() const {
    if (access_ == mma_access::mn_major) return Threads / Outer * width;
    return access_ == mma_access::mn_major_vectorized ? Threads / (Outer / width) : 0;
  }

  /// Copies a step all of whose elements exist.
  template <int Bytes>
  __device__ __forceinline__ void copy_whole(std::uint32_t target) const {
    const In* source = source_;
#pragma unroll
    for (int i = 0; i < passes; ++i) {
#pragma unroll
      for (int part = 0; part < 16; part += Bytes)
        ptx::copy_async<Bytes>(target + i * pass_pitch_ + part, source + part / size, true);
      source += pass_stride_;
    }
  }

  /// The end of a row is copied element by element if less than 16 bytes remain.
  __device__ __forceinline__ void copy_vectorized(std::uint32_t target, int terms_left) const {
    const bool k_major = access_ == mma_access::k_major_vectorized;
    const In* source = source_;
#pragma unroll 1
    for (int i = 0; i < passes; ++i) {
      const int rows = rows_left_ - i * row_step();
      const int terms = terms_left - i * term_step();
      const int left = k_major ? terms : rows;
      const bool exists = (k_major ? rows : terms) > 0;
      if (exists && left > 0 && left < width) {
        gather(target + i * pass_pitch_, source, 1, left);
      } else {
        ptx::copy_async_padded<16>(target + i * pass_pitch_, source,
                                   exists && left > 0 ? width * size : 0);
      }
      source += pass_stride_;
    }
  }

  /// Copies runs that are aligned only to `Bytes` bytes.
  template <int Bytes>
  __device__ __forceinline__ void copy_pieces(std::uint32_t target, int terms_left) const {
    const bool k_major = access_ == mma_access::k_major_vectorized;
    const In* source = source_;
#pragma unroll 1
    for (int i = 0; i < passes; ++i) {
      const int rows = rows_left_ - i * row_step();
      const int terms = terms_left - i * term_step();
      const int left = (k_major ? rows : terms) > 0 ? (k_major ? terms : rows) * size : 0;
#pragma unroll
      for (int part = 0; part < 16; part += Bytes) {
        const int valid = min(max(left - part, 0), Bytes);
        ptx::copy_async_padded<Bytes>(target + i * pass_pitch_ + part, source + part / size, valid);
      }
      source += pass_stride_;
    }
  }

  /// Not unrolled: the pointers of all passes would not fit into registers besides the sums.
  __device__ __forceinline__ void copy_elements(std::uint32_t target, int terms_left) const {
    const In* source = source_;
#pragma unroll 1
    for (int i = 0; i < passes; ++i) {
      const bool exists = rows_left_ - i * row_step() > 0;
      gather(target + i * pass_pitch_, source, k_stride_,
             exists ? terms_left - i * term_step() : 0);
      source += pass_stride_;
    }
  }

  /// Copies 16 bytes of elements `stride` apart; only `left` of them exist.
  __device__ __forceinline__ void gather(std::uint32_t target, const In* source, index_t stride,
                                         int left) const {
    if constexpr (size == 4) {
#pragma unroll
      for (int i = 0; i < width; ++i, source += stride)
        ptx::copy_async_padded<4>(target + 4 * i, source, i < left ? 4 : 0);
    } else {
      using Bits = std::conditional_t<size == 2, std::uint16_t, std::uint8_t>;
      std::uint32_t words[4] = {};
#pragma unroll
      for (int i = 0; i < width; ++i, source += stride) {
        const std::uint32_t value = i < left ? *reinterpret_cast<const Bits*>(source) : 0;
        words[i * size / 4] |= value << (8 * (i * size % 4));
      }
      ptx::store_shared(target, words);
    }
  }

  const In* source_;  // this thread's first element of the next step
  mma_access access_;
  int piece_;  // bytes per copy of the vectorized accesses
  index_t k_stride_;
  index_t pass_stride_;
  int pass_pitch_;  // bytes between passes in shared memory
  int term_;        // this thread's first term of a step
  int rows_left_;   // rows that exist, counted from this thread's first
  bool whole_;      // copies in pieces, and every row of the tile exists
  std::uint32_t target_;
};

}  // namespace tandem::cuda_impl
