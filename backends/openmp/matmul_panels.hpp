// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_gelu.hpp>
#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_finish.hpp>
#include <tandem/core/matmul_problem.hpp>

#include <type_traits>

namespace tandem::openmp_impl {

/// Rows `begin` <= i < `end` of c and the columns of one group, for one chunk of k.
struct matmul_part {
  index_t row;
  index_t rows;
  index_t column;
  index_t columns;
  index_t term;
  index_t terms;
};

/// Bias and activation of the elements of c in a part of which the kernels have seen to alpha and
/// beta: a pass over what the caches still hold, and none where there is no epilogue.
template <class T>
void finish_part(const matmul_problem<T>& p, const matmul_part& part) {
  detail::matmul_finish<T> finish = detail::finish_of(p);
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

/// A product with its scratch: fills panels, and runs the kernels on parts of c.
template <class T>
struct matmul_panels {
  const matmul_problem<T>& problem;
  const matmul_kernels<T>& kernels;
  const matmul_plan& plan;
  T* a_lines;  ///< plan.a_elements of the calling thread

  /// Packs terms from `from` on, at most `count`, of the part's columns of b into its panels.
  void pack(const matmul_part& part, index_t from, index_t count, T* panels) const {
    const matmul_problem<T>& p = problem;
    kernels.pack_b({.source = p.b + (part.term + from) * p.b_row + part.column * p.b_column,
                    .across = p.b_column,
                    .along = p.b_row,
                    .count = part.columns,
                    .terms = tandem::min(count, part.terms - from),
                    .to = panels,
                    .stride = part.terms,
                    .begin = from});
  }

  /// The part as the kernel gets it, without where totals go. `panels` is what pack() filled; not
  /// looked at where b is not packed.
  matmul_block<T> block(const matmul_part& part, const T* panels) const {
    matmul_block<T> t;
    t.rows = part.rows;
    t.columns = part.columns;
    t.terms = part.terms;
    set_operands(part, panels, t);
    set_results(part, t);
    t.first = part.term == 0;
    t.last = part.term + part.terms == problem.k;
    t.rows_outside = plan.rows_outside;
    t.far = plan.far;
    t.streams = plan.streams;
    t.alpha = problem.alpha;
    t.beta = problem.beta;
    return t;
  }

  /// Where a and b lie.
  void set_operands(const matmul_part& part, const T* panels, matmul_block<T>& t) const {
    const matmul_problem<T>& p = problem;
    t.a = p.a + part.row * p.a_row + part.term * p.a_column;
    t.a_row = p.a_row;
    if (kernels.starts) set_starts(part, t);
    t.b = plan.packs_b ? panels : p.b + part.term * p.b_row + part.column * p.b_column;
    t.b_row = plan.packs_b ? 0 : p.b_row;
    if (plan.method == matmul_method::direct && p.batch > 1) {
      t.a_next = p.a_batch;
      t.b_next = p.b_batch;
    }
  }

  /// Where c lies, which holds the totals as well.
  void set_results(const matmul_part& part, matmul_block<T>& t) const {
    const matmul_problem<T>& p = problem;
    t.c = p.c + part.row * p.c_row + part.column * p.c_column;
    t.c_row = p.c_row;
    t.c_column = p.c_column;
    t.totals = t.c;
    t.totals_row = t.c_row;
    t.totals_column = t.c_column;
  }

  /// Sums of the first chunk begin with what lies in front of a's rows, those of others with 0.
  void set_starts(const matmul_part& part, matmul_block<T>& t) const {
    static constexpr T zero{};
    const bool begins = part.term == 0;
    t.starts = begins ? t.a - 1 : &zero;
    t.starts_row = begins ? t.a_row : 0;
  }

  /// Computes a block, some rows at a time where those of a have to be copied.
  void multiply(matmul_block<T> t) const {
    if (plan.packed_rows == 0) return kernels.multiply(t);
    matmul_pack<T> lines{.source = t.a,
                         .across = problem.a_row,
                         .along = problem.a_column,
                         .count = 0,
                         .terms = t.terms,
                         .to = a_lines,
                         .stride = plan.line};
    t.a = a_lines;
    t.a_row = plan.line;
    for (index_t left = t.rows; left > 0; left -= t.rows) {
      t.rows = tandem::min(plan.packed_rows, left);
      lines.count = t.rows;
      kernels.pack_a(lines);
      kernels.multiply(t);
      lines.source += t.rows * problem.a_row;
      t.c += t.rows * t.c_row;
      t.totals += t.rows * t.totals_row;
    }
  }
};

}  // namespace tandem::openmp_impl
