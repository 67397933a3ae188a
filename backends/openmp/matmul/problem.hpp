// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/extents.hpp>

#include <type_traits>

/// Problems made from problems: other orientations, parts of c, other element types.
namespace tandem::openmp_impl {

/// Size of the blocks of c that threads compute independently; zero if they share panels.
struct matmul_partition {
  index_t rows = 0;
  index_t columns = 0;
};

/// Returns c = a b of one entry of contiguous row-major matrices.
template <class T, class In>
matmul_problem<T, In> contiguous_problem(index_t m, index_t n, index_t k, const In* a, const In* b,
                                         T* c) {
  matmul_problem<T, In> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a;
  p.a_row = k;
  p.a_column = 1;
  p.b = b;
  p.b_row = n;
  p.b_column = 1;
  p.c = c;
  p.c_row = n;
  p.c_column = 1;
  return p;
}

/// Turns a batch into one product of more rows, if its entries share b and their rows are
/// consecutive in a and c.
template <class T, class In>
void fold_batch_into_rows(matmul_problem<T, In>& p) {
  if (p.m == 1) {
    p.a_row = p.a_batch;
    p.c_row = p.c_batch;
  }
  if (p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.c_batch != p.m * p.c_row) return;
  if (p.bias != nullptr && p.bias_row != 0) return;  // it starts again with each entry
  p.m *= p.batch;
  p.batch = 1;
}

/// Returns the problem in the orientation that suits the kernels: one entry instead of many, and
/// long contiguous rows of c.
template <class T, class In>
matmul_problem<T, In> canonical_orientation(matmul_problem<T, In> p, int lanes) {
  if (p.batch > 1) fold_batch_into_rows(p);
  if (p.batch > 1) {
    p = detail::transposed(p);
    fold_batch_into_rows(p);
    p = detail::transposed(p);
  }
  const bool columns_contiguous = p.c_row == 1 && p.c_column != 1 && p.n > 1;
  const bool rows_short = p.n < lanes && p.n < p.m;
  const bool columns_short = p.m < lanes && p.m < p.n;
  if (rows_short || (columns_contiguous && !columns_short)) return detail::transposed(p);
  return p;
}

/// Returns the product of some rows of a and some columns of b.
template <class T, class In>
matmul_problem<T, In> subproblem(matmul_problem<T, In> p, index_t row, index_t column,
                                 const matmul_partition& partition) {
  p.m = partition.rows < p.m - row ? partition.rows : p.m - row;
  p.n = partition.columns < p.n - column ? partition.columns : p.n - column;
  p.a += row * p.a_row;
  p.b += column * p.b_column;
  p.c += row * p.c_row + column * p.c_column;
  if (p.bias != nullptr) p.bias += row * p.bias_row + column * p.bias_column;
  return p;
}

/// Copies the strides of p's operands to q.
template <class T, class In, class OldT, class OldIn>
void copy_strides(const matmul_problem<OldT, OldIn>& p, matmul_problem<T, In>& q) {
  q.a_batch = p.a_batch;
  q.a_row = p.a_row;
  q.a_column = p.a_column;
  q.b_batch = p.b_batch;
  q.b_row = p.b_row;
  q.b_column = p.b_column;
  q.c_batch = p.c_batch;
  q.c_row = p.c_row;
  q.c_column = p.c_column;
}

/// Returns the problem for other element types with the same type of sums. Operands whose type
/// changes are null; the caller sets them.
template <class T, class In, class OldT, class OldIn>
matmul_problem<T, In> with_element_types(const matmul_problem<OldT, OldIn>& p) {
  static_assert(std::is_same_v<detail::matmul_sum_t<T>, detail::matmul_sum_t<OldT>>);
  matmul_problem<T, In> q;
  q.batch = p.batch;
  q.m = p.m;
  q.n = p.n;
  q.k = p.k;
  q.alpha = p.alpha;
  q.beta = p.beta;
  if constexpr (std::is_same_v<In, OldIn>) {
    q.a = p.a;
    q.b = p.b;
  }
  if constexpr (std::is_same_v<T, OldT>) q.c = p.c;
  copy_strides(p, q);
  q.kernel = p.kernel;
  q.precision = p.precision;
  q.bias = p.bias;
  q.bias_row = p.bias_row;
  q.bias_column = p.bias_column;
  q.activation = p.activation;
  return q;
}

}  // namespace tandem::openmp_impl
