// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

/// How the fp64 tensor kernels keep their operands in shared memory. An operand stays as it lies in
/// global memory, k or the outer index (row of a, column of b) in the fast place, so that 16 bytes
/// move as one; the units in which the fragments' lanes read are exchanged (swizzled) so that lanes
/// that are served together meet different banks.
namespace tandem::cuda_impl {

/// Terms of a stage: 128 bytes of a row whose neighbours are along k.
inline constexpr int dmma_depth = 16;

/// Place of an element of an operand in its stage, counted in elements.
///
/// Lanes that read together hold 4 terms of 4 rows (2 pairs of rows where the outer index is fast).
template <int Extent, bool KMajor>
__device__ __forceinline__ int dmma_place(int outer, int term) {
  if constexpr (KMajor) {
    return outer * dmma_depth + ((term / 4) ^ (outer / 2 % 4)) * 4 + term % 4;
  } else {
    return term * Extent + ((outer / 2) ^ (term % 4 * 2)) * 2 + outer % 2;
  }
}

/// What a lane reads of an operand's stage: rows (columns) `outer` + 16 i and the one after it, for
/// one of each 4 terms.
template <int Extent, bool KMajor>
class dmma_lane {
 public:
  __device__ __forceinline__ dmma_lane(int outer, int quad)
      : first_(KMajor ? outer * dmma_depth + quad : dmma_place<Extent, false>(outer, quad)),
        swizzle_(outer / 2 % 4 * 4) {}

  /// The pair i of the lane's term of `term` to term + 3, of which `term` is known at compile time.
  __device__ __forceinline__ void load(double (&pair)[2], const double* stage, int i,
                                       int term) const {
    if constexpr (KMajor) {
      const double* const source = stage + first_ + (term ^ swizzle_) + i * 16 * dmma_depth;
      pair[0] = source[0];
      pair[1] = source[dmma_depth];
    } else {
      const double* const source = stage + first_ + term * Extent + i * 16;
      const auto both = *reinterpret_cast<const aligned_vector<double>*>(source);
      pair[0] = both.value[0];
      pair[1] = both.value[1];
    }
  }

 private:
  int first_;
  int swizzle_;
};

/// How a block's threads copy an operand's terms into a stage: two neighbours per thread and pass,
/// in 16 bytes where `Vectorized`, else one after the other, for which any strides will do.
///
/// Indices beyond the operand's edge are clamped to its last ones, terms beyond k not copied at
/// all, as in loader.cuh.
template <int Extent, int Threads, bool KMajor, bool Vectorized>
class dmma_loader {
  static constexpr int pairs = (KMajor ? dmma_depth : Extent) / 2;  // in the fast direction
  static constexpr int pass = Threads / pairs;                      // in the slow one
  static constexpr int passes = (KMajor ? Extent : dmma_depth) / pass;
  static_assert(Threads % pairs == 0 && (KMajor ? Extent : dmma_depth) % pass == 0);

 public:
  __device__ __forceinline__ dmma_loader(const double* source,
                                         const matmul_operand<double>& operand, int first,
                                         index_t extent, int thread)
      : stride_(static_cast<int>(operand.outer_stride)),
        step_((KMajor ? dmma_depth : pass) * operand.k_stride) {
    fast_ = thread % pairs * 2;
    slow_ = thread / pairs;
    const index_t last = extent - 1;
    if constexpr (KMajor) {
      last_ = static_cast<int>(last) - first;
      second_ = operand.k_stride;
      source_ = source + first * operand.outer_stride + fast_ * operand.k_stride;
    } else {
      const index_t most = Vectorized ? last - 1 : last;
      const index_t column = first + fast_ < most ? first + fast_ : most;
      second_ = column < last ? operand.outer_stride : 0;
      source_ = source + column * operand.outer_stride + slow_ * operand.k_stride;
    }
  }

  __device__ __forceinline__ void copy(std::uint32_t stage, int terms) {
    // A bound that depends on `terms` makes ptxas compute the rows' offsets anew for each tile
    // rather than keep them in registers, which are full; the tensor cores leave time for it.
    const int last = terms <= 0 ? 0 : last_;
#pragma unroll
    for (int i = 0; i < passes; ++i) {
      const int slow = slow_ + i * pass;
      if constexpr (KMajor) {
        const int row = slow < last ? slow : last;
        copy_pair(stage + 8 * place(slow, fast_), source_ + static_cast<index_t>(row) * stride_,
                  fast_ < terms, fast_ + 1 < terms);
      } else {
        copy_pair(stage + 8 * place(fast_, slow), source_, slow < terms, slow < terms);
        source_ += step_;
      }
    }
    if constexpr (KMajor) source_ += step_;
  }

 private:
  __device__ __forceinline__ static unsigned place(int outer, int term) {
    return static_cast<unsigned>(dmma_place<Extent, KMajor>(outer, term));
  }

  __device__ __forceinline__ void copy_pair(std::uint32_t target, const double* source, bool first,
                                            bool second) const {
    ptx::copy_async<Vectorized ? 16 : 8>(target, source, first);
    if constexpr (!Vectorized) ptx::copy_async<8>(target + 8, source + second_, second);
  }

  const double* source_;  // this thread's first element of the next tile
  int stride_;
  index_t step_;
  index_t second_;  // elements from the first of a pair to the second
  int fast_;
  int slow_;
  int last_ = 0;  // last row that exists, counted from the tile's first
};

/// An operand's part of a stage.
template <int Extent, int Threads, bool KMajor, bool Vectorized>
struct dmma_stage {
  static constexpr int elements = Extent * dmma_depth;
  using loader = dmma_loader<Extent, Threads, KMajor, Vectorized>;

  __device__ __forceinline__ static int place(int outer, int term) {
    return dmma_place<Extent, KMajor>(outer, term);
  }
};

}  // namespace tandem::cuda_impl
