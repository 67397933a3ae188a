// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/fma/pipeline.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

/// How the fp64 tensor kernels keep their operands in shared memory. An operand keeps its order in
/// global memory, with either k or the outer index (row of a, column of b) fastest, so that 16
/// bytes can move together. The units that a fragment's lanes read are swizzled, so that lanes
/// served together access different banks.
namespace tandem::cuda_impl {

/// Terms per stage: 128 bytes of a row that is contiguous along k.
inline constexpr int dmma_depth = 16;

/// Position of an element of an operand in its stage, in elements.
///
/// Lanes that read together hold 4 terms of 4 rows, or of 2 pairs of rows if the outer index is
/// fastest.
template <int Extent, bool KMajor>
__device__ __forceinline__ int dmma_place(int outer, int term) {
  if constexpr (KMajor) {
    return outer * dmma_depth + ((term / 4) ^ (outer / 2 % 4)) * 4 + term % 4;
  } else {
    return term * Extent + ((outer / 2) ^ (term % 4 * 2)) * 2 + outer % 2;
  }
}

/// What a lane reads from an operand's stage: rows (columns) `outer` + 16 i and the next one, at
/// one of each 4 terms.
template <int Extent, bool KMajor>
class dmma_lane {
 public:
  __device__ __forceinline__ dmma_lane(int outer, int quad)
      : first_(KMajor ? outer * dmma_depth + quad : dmma_place<Extent, false>(outer, quad)),
        swizzle_(outer / 2 % 4 * 4) {}

  /// Loads pair i of the lane's term among `term` to term + 3; `term` must be a compile-time
  /// constant.
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

/// How a block's threads copy an operand's terms into a stage: two adjacent elements per thread and
/// pass. If `Vectorized`, they are copied as 16 bytes; otherwise one by one, with any strides.
///
/// As in loader.cuh, indices past the operand's edge are clamped to its last ones, and terms past k
/// are not copied.
template <int Extent, int Threads, bool KMajor, bool Vectorized>
class dmma_loader {
  static constexpr int pairs = (KMajor ? dmma_depth : Extent) / 2;  // along the fastest index
  static constexpr int pass = Threads / pairs;                      // along the slower index
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
    // With a bound that depends on `terms`, ptxas recomputes the rows' offsets for each tile
    // instead of keeping them in registers, which are full. The tensor cores leave time for it.
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
  index_t second_;  // distance in elements between the two of a pair
  int fast_;
  int slow_;
  int last_ = 0;  // last valid row, relative to the tile's first
};

/// One operand's part of a stage.
template <int Extent, int Threads, bool KMajor, bool Vectorized>
struct dmma_stage {
  static constexpr int elements = Extent * dmma_depth;
  using loader = dmma_loader<Extent, Threads, KMajor, Vectorized>;

  __device__ __forceinline__ static int place(int outer, int term) {
    return dmma_place<Extent, KMajor>(outer, term);
  }
};

/// Whether to use the fp64 tensor cores of the architecture being compiled for. sm_80 and sm_90
/// have them at full rate. There, every shape of the instruction is exactly the chain of fused
/// multiply-adds in ascending k, with the rounding and subnormals of DFMA. An architecture is added
/// once the tests have shown the same for it.
TANDEM_FUNCTION constexpr bool has_fp64_tensor_cores() {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  return true;
#else
  return false;
#endif
}

/// above, below += a * b for 16 x 8 doubles and 4 terms, in the fragments of mma_m16n8k4. On sm_80,
/// two smaller instructions do the same.
__device__ __forceinline__ void multiply_fragment(double& above0, double& above1, double& below0,
                                                  double& below1, const double (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  ptx::mma_m16n8k4(above0, above1, below0, below1, a[0], a[1], b);
#else
  ptx::mma_m8n8k4(above0, above1, a[0], b);
  ptx::mma_m8n8k4(below0, below1, a[1], b);
#endif
}

/// Multiplies fp64 on the tensor cores. A warp computes fragments of 16 x 8 elements.
///
/// The assignment of tile rows and columns to fragments is free. Fragment i takes rows 16 i + 2 r
/// and 16 i + 2 r + 1 as its rows r and r + 8; fragments 2 j and 2 j + 1 take columns 16 j + 2 c
/// and 16 j + 2 c + 1 as their columns c. So a lane's operands are adjacent in memory, and are read
/// as 16 bytes if the outer index is fastest. Its 4 elements of a row of c are adjacent, too.
template <matmul_tile Tile, bool AKMajor, bool BKMajor>
class tensor_engine {
  static constexpr int fragments_m = Tile.m / Tile.warps_m / 16;
  static constexpr int pairs_n = Tile.n / Tile.warps_n / 16;  // of fragments
  static_assert(fragments_m > 0 && pairs_n > 0);

 public:
  static constexpr int width = 2;
  static constexpr int k_step = 4;
  static constexpr int runs = fragments_m * 2 * pairs_n * 2;

  double accumulator[static_cast<unsigned>(runs)][2] = {};

  __device__ __forceinline__ explicit tensor_engine(int thread)
      : row_(thread / 32 / Tile.warps_n * (Tile.m / Tile.warps_m)),
        column_(thread / 32 % Tile.warps_n * (Tile.n / Tile.warps_n)),
        a_lane_(row_ + thread % 32 / 4 * 2, thread % 4),
        b_lane_(column_ + thread % 32 / 4 * 2, thread % 4) {
    row_ += thread % 32 / 4 * 2;
    column_ += thread % 4 * 4;
  }

  /// First row and column of this thread's elements in the tile, and a run's offset from them.
  __device__ __forceinline__ int row() const { return row_; }
  __device__ __forceinline__ int column() const { return column_; }
  __device__ __forceinline__ static constexpr int row_offset(int run) {
    return run / (4 * pairs_n) * 16 + run / (2 * pairs_n) % 2;
  }
  __device__ __forceinline__ static constexpr int column_offset(int run) {
    return run % (2 * pairs_n) / 2 * 16 + run % 2 * 2;
  }

  __device__ __forceinline__ void load(int buffer, const double* a, const double* b, int term) {
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) a_lane_.load(a_[buffer][i], a, i, term);
#pragma unroll
    for (int j = 0; j < pairs_n; ++j) b_lane_.load(b_[buffer][j], b, j, term);
  }

  /// Fragment h of a pair holds every other element of the pair's two runs in each row.
  __device__ __forceinline__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) {
#pragma unroll
      for (int j = 0; j < pairs_n; ++j) {
        double(*const above)[2] = &accumulator[i * 4 * pairs_n + j * 2];
        double(*const below)[2] = above + 2 * pairs_n;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          multiply_fragment(above[0][h], above[1][h], below[0][h], below[1][h], a_[buffer][i],
                            b_[buffer][j][h]);
        }
      }
    }
  }

 private:
  int row_;
  int column_;
  dmma_lane<Tile.m, AKMajor> a_lane_;
  dmma_lane<Tile.n, BKMajor> b_lane_;
  double a_[2][static_cast<unsigned>(fragments_m)][2];
  double b_[2][static_cast<unsigned>(pairs_n)][2];
};

}  // namespace tandem::cuda_impl
