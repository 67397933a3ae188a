// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/numbers/half.hpp>

#include <type_traits>

/// What happens to the elements of c after the kernels: bias, activation, and rounding to 16 bits.
namespace tandem::openmp_impl {

/// A block of c and a range of k: rows `row` <= i < `row` + `rows`; columns and terms likewise.
struct block_range {
  index_t row;
  index_t rows;
  index_t column;
  index_t columns;
  index_t term;
  index_t terms;
};

/// A block of c whose totals are stored in contiguous rows of `columns`.
struct matmul_rounding {
  index_t rows = 0;
  index_t columns = 0;
  float alpha = 1;
  float beta = 0;
  index_t c_row = 0;
  index_t c_column = 0;
};

/// Passes over finished elements with the vectors of one instruction set, on which no bit depends.
struct epilogue_kernels {
  /// Applies x = gelu(x) to `count` elements, `stride` apart.
  void (*gelu_f32)(float* x, index_t count, index_t stride);
  void (*gelu_f64)(double* x, index_t count, index_t stride);
  /// Computes c = alpha * total + beta * c, the sum by one fused multiply-add, rounded to c's type.
  /// beta == 0 does not read c.
  void (*round_bf16)(const matmul_rounding& rounding, const float* totals, bf16* c);
  void (*round_half)(const matmul_rounding& rounding, const float* totals, half* c);

  static const epilogue_kernels baseline;
  static const epilogue_kernels avx2;
  static const epilogue_kernels avx512;
};

inline void apply_gelu(float* x, index_t count, index_t stride) {
  best_kernels<epilogue_kernels>().gelu_f32(x, count, stride);
}
inline void apply_gelu(double* x, index_t count, index_t stride) {
  best_kernels<epilogue_kernels>().gelu_f64(x, count, stride);
}
inline void round_totals(const matmul_rounding& rounding, const float* totals, bf16* c) {
  best_kernels<epilogue_kernels>().round_bf16(rounding, totals, c);
}
inline void round_totals(const matmul_rounding& rounding, const float* totals, half* c) {
  best_kernels<epilogue_kernels>().round_half(rounding, totals, c);
}

/// Applies bias and activation to a block of c after the kernels have applied alpha and beta: a
/// pass over data that is still in the caches, skipped if there is no epilogue.
template <class T, class In>
void apply_epilogue(const matmul_problem<T, In>& p, const block_range& part) {
  detail::element_epilogue<T> finish = detail::epilogue_of(p);
  if (!finish.has_epilogue()) return;
  const bool gelu = finish.activation == matmul_activation::gelu;
  if (gelu) finish.activation = matmul_activation::none;
  for (index_t i = part.row; i < part.row + part.rows; ++i) {
    T* const row = p.c + i * p.c_row;
    if (finish.has_epilogue()) {
      for (index_t j = part.column; j < part.column + part.columns; ++j) {
        T& c = row[j * p.c_column];
        c = finish.finished(c, i, j);
      }
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (gelu) apply_gelu(row + part.column * p.c_column, part.columns, p.c_column);
    }
  }
}

/// Finishes a block of c from its complete sums, `totals`: alpha, beta and the epilogue in floats,
/// then one rounding. `totals` is undefined afterwards.
template <class T, class In>
void round_block(const matmul_problem<T, In>& p, const block_range& part, float* totals) {
  T* const c = p.c + part.row * p.c_row + part.column * p.c_column;
  matmul_rounding rounding{part.rows, part.columns, p.alpha, p.beta, p.c_row, p.c_column};
  detail::element_epilogue<float> finish = detail::epilogue_of(p);
  if (finish.has_epilogue()) {
    const bool gelu = finish.activation == matmul_activation::gelu;
    if (gelu) finish.activation = matmul_activation::none;
    for (index_t i = 0; i < part.rows; ++i) {
      float* const row = totals + i * part.columns;
      for (index_t j = 0; j < part.columns; ++j) {
        const float old = finish.reads_c() ? float{c[i * p.c_row + j * p.c_column]} : 0.0f;
        row[j] = finish(row[j], old, part.row + i, part.column + j);
      }
    }
    if (gelu) apply_gelu(totals, part.rows * part.columns, 1);
    rounding.alpha = 1;
    rounding.beta = 0;
  }
  round_totals(rounding, totals, c);
}

}  // namespace tandem::openmp_impl
