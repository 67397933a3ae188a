// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/policy.hpp>
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/fma/dmma.cuh>
#include <tandem/core/math.hpp>

/// What multiplies in matmul_batched_kernel. An engine holds each thread's part of its product in
/// total[][]: rows x runs of 16 bytes along a row. add_slice(layout, last_row, terms, a, b) adds
/// `terms` products to each element, in ascending k. Rows and columns past the product's edge
/// compute on valid ones.
namespace tandem::cuda_impl {

/// Fused multiply-adds. A thread's rows are `row_groups` apart, and its runs of columns are
/// `column_groups` runs apart, so that a warp's reads and writes are dense.
template <class T, batched_tile Tile>
class batched_simt {
 public:
  static constexpr int width = static_cast<int>(vector_width<T>);
  static constexpr int rows = Tile.rows;
  static constexpr int runs = Tile.columns / width;
  static constexpr int row_step = Tile.row_groups();
  static constexpr int column_step = Tile.size / Tile.columns * width;

  __device__ __forceinline__ explicit batched_simt(int thread)
      : row_(thread / column_groups), column_(thread % column_groups * width) {}

  __device__ __forceinline__ int row(int i) const { return row_ + i * row_step; }
  __device__ __forceinline__ int column(int run) const { return column_ + run * column_step; }

  __device__ __forceinline__ void add_slice(const batched_layout& s, int last_row, int terms,
                                            const T* a, const T* b) {
    const T* a_row[rows];
    const T* b_run[runs];
#pragma unroll
    for (int i = 0; i < rows; ++i) a_row[i] = a + min(row(i), last_row) * s.a_pitch;
#pragma unroll
    for (int run = 0; run < runs; ++run) b_run[run] = b + min(column(run), s.b_pitch - width);
    const int whole = terms / width * width;
    run_type left[rows];
#pragma unroll(rows* Tile.columns <= 32 ? 2 : 1)
    for (int term = 0; term < whole; term += width) {
#pragma unroll
      for (int i = 0; i < rows; ++i) left[i] = read(a_row[i] + term);
#pragma unroll
      for (int t = 0; t < width; ++t) add_term(left, t, b_run, (term + t) * s.b_pitch);
    }
#pragma unroll 1
    for (int term = whole; term < terms; ++term) {
#pragma unroll
      for (int i = 0; i < rows; ++i) left[i].value[0] = a_row[i][term];
      add_term(left, 0, b_run, term * s.b_pitch);
    }
  }

  T total[rows][runs][width] = {};

 private:
  static constexpr int column_groups = Tile.size / Tile.columns;
  using run_type = aligned_vector<T>;
  __device__ __forceinline__ static run_type read(const T* from) {
    return *reinterpret_cast<const run_type*>(from);
  }
  /// Adds the products of element t of each row's run.
  __device__ __forceinline__ void add_term(const run_type (&left)[rows], int t,
                                           const T* const (&b_run)[runs], int offset) {
#pragma unroll
    for (int run = 0; run < runs; ++run) {
      const run_type right = read(b_run[run] + offset);
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int e = 0; e < width; ++e)
          total[i][run][e] = tandem::fma(left[i].value[t], right.value[e], total[i][run][e]);
      }
    }
  }

  int row_;
  int column_;
};

/// upper, lower += a * b for 16 x 8 doubles and 8 terms. With row = l / 4 and term = l % 4, lane l
/// holds a[row][term], a[row + 8][term], a[row][term + 4], a[row + 8][term + 4], b[term][row] and
/// b[term + 4][row], and two adjacent sums in each of rows row and row + 8.
__device__ __forceinline__ void multiply_fragments(double (&upper)[2], double (&lower)[2],
                                                   const double (&a)[4], const double (&b)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const double column[2] = {a[2 * half], a[2 * half + 1]};
    multiply_fragment(upper[0], upper[1], lower[0], lower[1], column, b[half]);
  }
}

/// fp64 tensor cores: 8 Rows x 8 Runs elements per warp, WarpsN warps along n, 8 terms per step.
/// Their sum equals the chain of fused multiply-adds.
template <int Rows, int Runs, int WarpsN>
class batched_tensor {
 public:
  static constexpr int width = 2;
  static constexpr int rows = Rows;
  static constexpr int runs = Runs;
  static constexpr int row_step = 8;
  static constexpr int column_step = 8;

  __device__ __forceinline__ explicit batched_tensor(int thread)
      : row_(thread / 32 / WarpsN * (8 * rows) + thread % 32 / 4),
        column_(thread / 32 % WarpsN * (8 * runs)),
        lane_(thread % 4) {}

  __device__ __forceinline__ int row(int i) const { return row_ + row_step * i; }
  __device__ __forceinline__ int column(int run) const {
    return column_ + column_step * run + 2 * lane_;
  }

  /// Uses only the pitches of the layout.
  template <class Layout>
  __device__ __forceinline__ void add_slice(const Layout& s, int last_row, int terms,
                                            const double* a, const double* b) {
    const double* a_row[rows];
    const double* b_column[runs];
#pragma unroll
    for (int i = 0; i < rows; ++i) a_row[i] = a + min(row(i), last_row) * s.a_pitch + lane_;
#pragma unroll
    for (int run = 0; run < runs; ++run)
      b_column[run] = b + lane_ * s.b_pitch + min(column_ + 8 * run + row_ % 8, s.b_pitch - 1);
    const int whole = terms / 8 * 8;
#pragma unroll 1
    for (int term = 0; term < whole; term += 8) step<false>(s, 8, term, a_row, b_column);
    if (whole < terms) step<true>(s, terms - whole, whole, a_row, b_column);
  }

  double total[rows][runs][width] = {};

 private:
  /// Multiplies 8 terms. If `Partial`, only `terms` of them exist; -0 * 0 = -0 does not change a
  /// sum.
  template <bool Partial, class Layout>
  __device__ __forceinline__ void step(const Layout& s, int terms, int term,
                                       const double* const (&a_row)[rows],
                                       const double* const (&b_column)[runs]) {
    double left[rows][2];
    double right[runs][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const bool exists = !Partial || lane_ + 4 * half < terms;
#pragma unroll
      for (int i = 0; i < rows; ++i) left[i][half] = exists ? a_row[i][term + 4 * half] : -0.0;
#pragma unroll
      for (int run = 0; run < runs; ++run)
        right[run][half] = exists ? b_column[run][(term + 4 * half) * s.b_pitch] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < rows; i += 2) {
      const double pair[4] = {left[i][0], left[i + 1][0], left[i][1], left[i + 1][1]};
#pragma unroll
      for (int run = 0; run < runs; ++run)
        multiply_fragments(total[i][run], total[i + 1][run], pair, right[run]);
    }
  }

  int row_;
  int column_;
  int lane_;
};

/// Fused multiply-adds for panels. A lane's rows are 8 apart and its runs 4, so that a warp's
/// concurrent reads and writes are dense.
template <class T, batched_tile Tile>
class panel_simt {
 public:
  static constexpr int width = static_cast<int>(vector_width<T>);
  static constexpr int rows = Tile.rows;
  static constexpr int runs = Tile.columns / width;
  static constexpr int row_step = 8;
  static constexpr int column_step = 4 * width;

  __device__ __forceinline__ explicit panel_simt(int thread) {
    // Lanes that differ in bit 0 read the same part of a, and lanes that differ in bit 1 the same
    // part of b. The hardware then serves the four phases of a warp's 16-byte load from shared
    // memory in two.
    const int lane = thread % 32;
    const int warp = thread / 32;
    row_ = warp / Tile.panel_warps() * (8 * rows) + (lane / 2 % 4 | lane / 16 * 4);
    column_ =
        warp % Tile.panel_warps() * (4 * Tile.columns) + (lane % 2 | lane / 8 % 2 * 2) * width;
  }

  __device__ __forceinline__ int row(int i) const { return row_ + i * row_step; }
  __device__ __forceinline__ int column(int run) const { return column_ + run * column_step; }

  /// Adds `terms` products, a multiple of `width`, to each element, in ascending k. Rows past the
  /// last have slots, too. The operands of a term are loaded while those of the previous term are
  /// multiplied; the load after the last term is unused.
  __device__ __forceinline__ void add_slice(const panel_layout& layout, int, int terms, const T* a,
                                            const T* b) {
    a += row_ * layout.a_pitch;
    b += column_;
    run_type left[rows];
    run_type right[2][runs];
#pragma unroll
    for (int i = 0; i < rows; ++i) left[i] = read(a + i * row_step * layout.a_pitch);
    read_runs(right[0], b);
#pragma unroll 1
    for (int term = 0; term < terms; term += width) {
      a += width;
#pragma unroll
      for (int t = 0; t < width; ++t) {
        b += layout.b_pitch;
        read_runs(right[(t + 1) % 2], b);
#pragma unroll
        for (int i = 0; i < rows; ++i) {
          add_row(i, left[i].value[t], right[t % 2]);
          if (t == width - 1) left[i] = read(a + i * row_step * layout.a_pitch);
        }
      }
    }
  }

  T total[rows][runs][width] = {};

 private:
  using run_type = aligned_vector<T>;
  __device__ __forceinline__ static run_type read(const T* from) {
    return *reinterpret_cast<const run_type*>(from);
  }
  __device__ __forceinline__ static void read_runs(run_type (&right)[runs], const T* b) {
#pragma unroll
    for (int run = 0; run < runs; ++run) right[run] = read(b + run * column_step);
  }
  /// Traverses the columns back and forth, so that ptxas finds operands in its register cache.
  __device__ __forceinline__ void add_row(int i, T left, const run_type (&right)[runs]) {
#pragma unroll
    for (int step = 0; step < runs * width; ++step) {
      const int j = i % 2 == 0 ? step : runs * width - 1 - step;
      T& element = total[i][j / width][j % width];
      element = tandem::fma(left, right[j / width].value[j % width], element);
    }
  }

  int row_;
  int column_;
};

}  // namespace tandem::cuda_impl
