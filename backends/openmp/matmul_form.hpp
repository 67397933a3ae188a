// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/matmul_problem.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// A batch whose entries share b, and lie in a and c as rows below each other, is one product of
/// more rows.
template <class T, class In>
void merge_rows(matmul_problem<T, In>& p) {
  if (p.m == 1) {
    p.a_row = p.a_batch;
    p.c_row = p.c_batch;
  }
  if (p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.c_batch != p.m * p.c_row) return;
  if (p.bias != nullptr && p.bias_row != 0) return;  // it begins anew with each entry
  p.m *= p.batch;
  p.batch = 1;
}

/// The same product as c^T = b^T a^T.
template <class T, class In>
void transpose(matmul_problem<T, In>& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a_batch, p.b_batch);
  std::swap(p.a_row, p.b_column);
  std::swap(p.a_column, p.b_row);
  std::swap(p.c_row, p.c_column);
  std::swap(p.bias_row, p.bias_column);
}

/// The problem in the form that the kernels like best: one entry rather than many, rows of c
/// contiguous and long.
template <class T, class In>
matmul_problem<T, In> in_best_form(matmul_problem<T, In> p, int lanes) {
  if (p.batch > 1) merge_rows(p);
  if (p.batch > 1) {
    transpose(p);
    merge_rows(p);
    transpose(p);
  }
  const bool columns_contiguous = p.c_row == 1 && p.c_column != 1 && p.n > 1;
  const bool rows_short = p.n < lanes && p.n < p.m;
  const bool columns_short = p.m < lanes && p.m < p.n;
  if (rows_short || (columns_contiguous && !columns_short)) transpose(p);
  return p;
}

}  // namespace tandem::openmp_impl
