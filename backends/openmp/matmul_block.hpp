// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// One chunk of k for a block of c: its panels, the items of packing them, and its tiles.
template <class T>
struct matmul_block {
  const matmul_problem<T>& problem;
  const matmul_kernels<T>& kernels;
  index_t row;
  index_t rows;
  index_t column;
  index_t columns;
  index_t term;
  index_t terms;
  T* a_panels;
  T* b_panels;
  T* totals;  ///< block of sums of earlier chunks, row-major; null when they are kept in c

  index_t row_panels() const { return ceil_div<index_t>(rows, kernels.rows); }
  index_t column_panels() const { return ceil_div<index_t>(columns, kernels.columns); }

  /// Number of items for pack().
  index_t pack_items() const {
    return items(all_of_a(), kernels.rows) + items(all_of_b(), kernels.columns);
  }

  /// Packs one part of a's or b's panels.
  void pack(index_t item) const {
    const index_t a_items = items(all_of_a(), kernels.rows);
    if (item < a_items) {
      kernels.pack_a(part(all_of_a(), kernels.rows, item));
    } else {
      kernels.pack_b(part(all_of_b(), kernels.columns, item - a_items));
    }
  }

  /// The tile of row panel i and column panel j.
  matmul_tile<T> tile(index_t i, index_t j) const {
    const index_t first_row = i * kernels.rows;
    const index_t first_column = j * kernels.columns;
    matmul_tile<T> t;
    t.rows = static_cast<int>(tandem::min<index_t>(kernels.rows, rows - first_row));
    t.columns = static_cast<int>(tandem::min<index_t>(kernels.columns, columns - first_column));
    t.terms = terms;
    t.a = a_panels + first_row * terms;
    t.a_row = 1;
    t.a_column = kernels.rows;
    t.b = b_panels + first_column * terms;
    t.b_row = kernels.columns;
    t.c =
        problem.c + (row + first_row) * problem.c_row + (column + first_column) * problem.c_column;
    t.c_row = problem.c_row;
    t.c_column = problem.c_column;
    t.totals = totals != nullptr ? totals + first_row * columns + first_column : t.c;
    t.totals_row = totals != nullptr ? columns : problem.c_row;
    t.totals_column = totals != nullptr ? 1 : problem.c_column;
    t.first = term == 0;
    t.last = term + terms == problem.k;
    t.alpha = problem.alpha;
    t.beta = problem.beta;
    return t;
  }

 private:
  matmul_pack<T> all_of_a() const {
    return {.source = problem.a + row * problem.a_row + term * problem.a_column,
            .across = problem.a_row,
            .along = problem.a_column,
            .count = rows,
            .padded = rows,
            .terms = terms,
            .panels = a_panels,
            .panel_stride = terms * kernels.rows};
  }
  matmul_pack<T> all_of_b() const {
    return {.source = problem.b + term * problem.b_row + column * problem.b_column,
            .across = problem.b_column,
            .along = problem.b_row,
            .count = columns,
            .padded = round_up<index_t>(columns, kernels.lanes),
            .terms = terms,
            .panels = b_panels,
            .panel_stride = terms * kernels.columns};
  }

  static index_t items(const matmul_pack<T>& all, index_t width) {
    return ceil_div(all.padded, width * matmul_policy::pack_panels) *
           ceil_div(all.terms, matmul_policy::pack_terms);
  }

  /// Item number `item`: a group of panels for a range of terms.
  static matmul_pack<T> part(matmul_pack<T> all, index_t width, index_t item) {
    const index_t group = width * matmul_policy::pack_panels;
    const index_t ranges = ceil_div(all.terms, matmul_policy::pack_terms);
    const index_t i = item / ranges * group;
    const index_t l = item % ranges * matmul_policy::pack_terms;
    all.source += i * all.across + l * all.along;
    all.count = tandem::min(group, all.count - i);
    all.padded = tandem::min(group, all.padded - i);
    all.terms = tandem::min(matmul_policy::pack_terms, all.terms - l);
    all.panels += i / width * all.panel_stride + l * width;
    return all;
  }
};

}  // namespace tandem::openmp_impl
