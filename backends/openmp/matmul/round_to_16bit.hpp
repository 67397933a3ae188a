// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/block_range.hpp>
#include <tandem/backends/openmp/matmul/gelu.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/half.hpp>

namespace tandem::openmp_impl {

/// A block of c whose totals lie in contiguous rows of `columns`.
struct matmul_rounding {
  index_t rows = 0;
  index_t columns = 0;
  float alpha = 1;
  float beta = 0;
  index_t c_row = 0;
  index_t c_column = 0;
};

/// Computes c = alpha * total + beta * c, the sum by one fused multiply-add, rounded to T, with the
/// widest vectors that the CPU has. The bits do not depend on the instruction set. beta == 0 does not
/// read c. T is half or bf16.
template <class T>
void round_totals(const matmul_rounding& rounding, const float* totals, T* c);

extern template void round_totals(const matmul_rounding&, const float*, half*);
extern template void round_totals(const matmul_rounding&, const float*, bf16*);

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
