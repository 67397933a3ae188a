// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <type_traits>

namespace tandem::cuda_impl {

/// How a block's threads copy `Depth` terms of `Extent` rows (of a) or columns (of b) into a stage,
/// term by term, `Pitch` elements apart. Any strides are supported. The loaders differ in the index
/// that adjacent lanes traverse.
///
/// Indices past the operand's edge are clamped to its last row, whose copies land in elements that
/// are never stored; in the main loop this is cheaper than a predicate. Terms past k are not copied
/// at all, since a zero would not be neutral. Each call of copy() copies the next `Depth` terms, of
/// which `terms` exist (zero or less for none).

/// Lanes traverse k: each warp copies 8 terms of 4 rows. For operands that are contiguous along k.
template <class T, int Extent, int Depth, int Pitch, int Threads>
class loader_k_major {
  static constexpr int warps_along_k = Depth / 8;
  static constexpr int pass = 4 * (Threads / 32 / warps_along_k);  // rows copied at a time
  static_assert(Depth % 8 == 0 && Threads / 32 % warps_along_k == 0 && Extent % pass == 0);

 public:
  __device__ __forceinline__ loader_k_major(const T* source, const matmul_operand<T>& operand,
                                            int first, index_t extent, int thread)
      : stride_(operand.outer_stride), step_(Depth * operand.k_stride) {
    const int warp = thread / 32;
    term_ = thread % 8 + 8 * (warp % warps_along_k);
    row_ = thread % 32 / 8 + 4 * (warp / warps_along_k);
    last_ = static_cast<int>(extent) - 1 - first;
    source_ = source + first * stride_ + term_ * operand.k_stride;
    target_ = static_cast<unsigned>(sizeof(T)) * static_cast<unsigned>(term_ * Pitch + row_);
  }

  __device__ __forceinline__ void copy(std::uint32_t stage, int terms) {
#pragma unroll
    for (int i = 0; i < Extent / pass; ++i) {
      const int row = row_ + i * pass < last_ ? row_ + i * pass : last_;
      ptx::copy_async<sizeof(T)>(stage + target_ + i * pass * sizeof(T), source_ + row * stride_,
                                 term_ < terms);
    }
    source_ += step_;
  }

 private:
  const T* source_;  // this thread's term of the tile's first row
  index_t stride_;
  index_t step_;
  int term_;
  int row_;
  int last_;  // last valid row, relative to the tile's first
  std::uint32_t target_;
};

/// Lanes traverse the outer index, `Width` elements per copy. A width above one requires
/// outer_stride 1 and 16-byte alignment of everything else (see plan/f32_f64.hpp).
template <class T, int Extent, int Depth, int Pitch, int Threads, int Width>
class loader_mn_major {
  static constexpr int lanes = Extent / Width;
  // Terms that the block copies at a time. If a tile has fewer terms, some threads idle.
  static constexpr int pass = Threads / lanes < Depth ? Threads / lanes : Depth;
  static_assert(Extent % Width == 0 && Threads % lanes == 0 && Depth % pass == 0);

 public:
  __device__ __forceinline__ loader_mn_major(const T* source, const matmul_operand<T>& operand,
                                             int first, index_t extent, int thread)
      : step_(pass * operand.k_stride) {
    term_ = thread / lanes;
    const int column = thread % lanes * Width;
    const index_t clamped = first + column < extent ? first + column : extent - Width;
    source_ = source + clamped * operand.outer_stride + term_ * operand.k_stride;
    target_ = static_cast<unsigned>(sizeof(T)) * static_cast<unsigned>(term_ * Pitch + column);
  }

  __device__ __forceinline__ void copy(std::uint32_t stage, int terms) {
    if constexpr (Threads / lanes > Depth) terms = terms < Depth ? terms : Depth;
#pragma unroll
    for (int i = 0; i < Depth / pass; ++i) {
      ptx::copy_async<Width * sizeof(T)>(stage + target_ + i * pass * Pitch * sizeof(T), source_,
                                         term_ + i * pass < terms);
      source_ += step_;
    }
  }

 private:
  const T* source_;  // this thread's first element of the next tile
  index_t step_;
  int term_;
  std::uint32_t target_;
};

/// How the SIMT engine stores operands: term by term, `Pitch` elements apart, copied by the loader
/// for the access that the plan chose.
template <class T, int Extent, int Depth, int Pitch, int Threads, operand_major Access,
          bool Vectorized>
struct pitched_stage {
  static constexpr int elements = Depth * Pitch;
  static constexpr int copied = Vectorized ? 16 / static_cast<int>(sizeof(T)) : 1;
  using loader = std::conditional_t<Access == operand_major::k_major,
                                    loader_k_major<T, Extent, Depth, Pitch, Threads>,
                                    loader_mn_major<T, Extent, Depth, Pitch, Threads, copied>>;

  __device__ __forceinline__ static int place(int outer, int term) { return term * Pitch + outer; }
};

}  // namespace tandem::cuda_impl
