// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>
#include <tandem/backends/cuda/matmul/policy.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>

namespace tandem::cuda_impl {

/// Bytes of a TMA tile of 16 rows of 16 doubles.
inline constexpr int f64_tma_tile_bytes = 16 * tma_row_bytes;

/// What a lane reads of an operand in TMA tiles of 16 rows (columns) of 16 terms each, or of 16
/// terms of 16 rows. The 16-byte pieces are swizzled: piece p of row r of a tile is stored at
/// position p ^ r % 8.
///
/// The assignment of tile rows to fragment rows is free. The two halves of a 16-row fragment (or
/// two 8-row fragments) take rows such that the lanes served together, 4 terms of 4 rows, access
/// different banks. If the operand is contiguous along k and `Neighbours` is set, one half has rows
/// 2 r and the other the rows in between, so that a lane's columns of c are adjacent. If it is not
/// set, one half has rows 0, 2, 4, 6, 1, 3, 5, 7 and the other those plus 8, which saves a
/// register. If the operand is not contiguous along k, one half has rows 0, 1, 8, 9, 2, 3, 10, 11
/// and the other those plus 4.
template <bool KMajor, bool Neighbours>
class f64_lane {
  static constexpr bool spread = KMajor && !Neighbours;

 public:
  /// Distance in rows between the halves.
  static constexpr int half = spread ? 8 : KMajor ? 1 : 4;
  /// Row r of the first half.
  __device__ __forceinline__ static int row(int r) {
    if constexpr (spread) return r % 4 * 2 + r / 4;
    return KMajor ? 2 * r : r % 2 + r / 2 % 2 * 8 + r / 4 * 2;
  }

  /// For the fragments that start at row `outer`, a multiple of 16.
  __device__ __forceinline__ f64_lane(int outer, int lane) {
    const int r = row(lane / 4);
    const int quad = lane % 4;
    if constexpr (KMajor) {
      first_ = (outer + r) * tma_row_bytes + (quad / 2 ^ r % 2) * 16 + quad % 2 * 8;
      other_ = first_ + tma_row_bytes + (quad < 2 ? 16 : -16);
      swizzle_ = r % 8 / 2 * 32;
    } else {
      const int piece = r / 2 ^ quad;
      first_ = outer / 16 * f64_tma_tile_bytes + quad * tma_row_bytes + piece * 16 + r % 2 * 8;
      other_ = first_ ^ 32;
      swizzle_ = (first_ & 64) == 0 ? 64 : -64;
    }
  }

  /// Loads the lane's element among terms `term` to term + 3, in its row of half h of fragment i.
  /// Everything except `stage` is a compile-time constant.
  __device__ __forceinline__ double load(const unsigned char* stage, int i, int h, int term) const {
    const int place = h == 0 ? first_ : spread ? first_ + half * tma_row_bytes : other_;
    const int terms =
        KMajor ? term * 8 ^ swizzle_ : term * tma_row_bytes + (term % 8 == 0 ? 0 : swizzle_);
    return *reinterpret_cast<const double*>(stage + place + i * f64_tma_tile_bytes + terms);
  }

 private:
  int first_;  // in bytes
  int other_;
  int swizzle_;
};

/// Multiplies operands in TMA tiles on the fp64 tensor cores, and holds the elements of c as the
/// engines of fma/ do.
///
/// Operands are loaded directly into the registers that the instruction reads, in its order: a
/// register copy would wait until the previous multiplication has read them. A fragment of a is
/// loaded while the previous one is multiplied. The fragments of b stay for 4 terms and are
/// replaced after their last use.
template <matmul_tile Tile, bool AKMajor, bool BKMajor>
class f64_engine {
  using rows = f64_lane<AKMajor, false>;
  using columns = f64_lane<BKMajor, true>;
  static constexpr int fragments_m = Tile.m / Tile.warps_m / 16;
  static constexpr int fragments_n = Tile.n / Tile.warps_n / 8;
  static constexpr int products = Tile.k / 4 * fragments_m;  // with all fragments of b
  static_assert(fragments_n % 2 == 0 && products % 2 == 0);

 public:
  static constexpr int width = 2;
  static constexpr int runs = fragments_m * 2 * fragments_n;
  static constexpr int b_offset = Tile.m * tma_row_bytes;  ///< in a stage

  double accumulator[static_cast<unsigned>(runs)][2];

  __device__ __forceinline__ f64_engine(int warp, int lane)
      : row_(warp / Tile.warps_n * (Tile.m / Tile.warps_m)),
        column_(warp % Tile.warps_n * (Tile.n / Tile.warps_n)),
        a_lane_(row_, lane),
        b_lane_(column_, lane) {
    row_ += rows::row(lane / 4);
    column_ += BKMajor ? lane % 4 * 4 : columns::row(lane % 4 * 2);
  }

  /// First row and column of this thread's elements in the tile, and a run's offset from them.
  __device__ __forceinline__ int row() const { return row_; }
  __device__ __forceinline__ int column() const { return column_; }
  __device__ __forceinline__ static constexpr int row_offset(int run) {
    return run / (2 * fragments_n) * 16 + run / fragments_n % 2 * rows::half;
  }
  __device__ __forceinline__ static constexpr int column_offset(int run) {
    return run % fragments_n / 2 * 16 + run % 2 * (BKMajor ? 2 : columns::half);
  }

  /// Starts new chains.
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int run = 0; run < runs; ++run) accumulator[run][0] = accumulator[run][1] = 0;
  }

  /// Loads what multiply_stage expects to be loaded.
  __device__ __forceinline__ void load_first(const unsigned char* stage) {
#pragma unroll
    for (int j = 0; j < fragments_n; ++j) load_b(stage, j, 0);
    load_a(0, stage, 0, 0);
  }

  /// Multiplies a whole stage. Calls halfway() half way through, and next(), which returns the
  /// following stage, as soon as this one has been read.
  template <class Halfway, class Next>
  __device__ __forceinline__ void multiply_stage(const unsigned char* stage, const Halfway& halfway,
                                                 const Next& next) {
#pragma unroll
    for (int at = 0; at < products; ++at) {
      if (at == products - 1) stage = next();
      const int i = (at + 1) % products % fragments_m;
      const int term = (at + 1) % products / fragments_m * 4;
      load_a((at + 1) % 2, stage, i, term);
#pragma unroll
      for (int j = 0; j < fragments_n; ++j) {
        multiply(at % fragments_m, j, at % 2);
        if (i == 0) load_b(stage, j, term);
      }
      if (at == products / 2 - 1) halfway();
    }
  }

  /// Multiplies 4 terms of a partial stage.
  __device__ __forceinline__ void multiply_terms(const unsigned char* stage, int term) {
#pragma unroll
    for (int j = 0; j < fragments_n; ++j) load_b(stage, j, term);
#pragma unroll
    for (int i = 0; i < fragments_m; ++i) {
      load_a(i % 2, stage, i, term);
#pragma unroll
      for (int j = 0; j < fragments_n; ++j) multiply(i, j, i % 2);
    }
  }

 private:
  __device__ __forceinline__ void load_a(int buffer, const unsigned char* stage, int i, int term) {
    a_[buffer][0] = a_lane_.load(stage, i, 0, term);
    a_[buffer][1] = a_lane_.load(stage, i, 1, term);
  }
  __device__ __forceinline__ void load_b(const unsigned char* stage, int j, int term) {
    b_[j] = b_lane_.load(stage + b_offset, j / 2, j % 2, term);
  }

  /// If b is K-major, two fragments of it hold alternating columns of the same rows of c.
  __device__ __forceinline__ void multiply(int i, int j, int buffer) {
    const int above = 2 * i * fragments_n + j / 2 * 2;
    const int below = above + fragments_n;
    const int h = j % 2;
    const double* const a = a_[buffer];
    if constexpr (BKMajor) {
      ptx::mma_m16n8k4(accumulator[above][h], accumulator[above + 1][h], accumulator[below][h],
                       accumulator[below + 1][h], a[0], a[1], b_[j]);
    } else {
      ptx::mma_m16n8k4(accumulator[above + h][0], accumulator[above + h][1],
                       accumulator[below + h][0], accumulator[below + h][1], a[0], a[1], b_[j]);
    }
  }

  int row_;
  int column_;
  rows a_lane_;
  columns b_lane_;
  double a_[2][2];
  double b_[static_cast<unsigned>(fragments_n)];
};

}  // namespace tandem::cuda_impl
