// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/epilogue.hpp>
#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Packs the panels of a product and runs the kernels on blocks of c. Results that are rounded to
/// 16 bits are first written to `c_lines`, as plain sums.
template <class T, class In>
struct matmul_panels {
  using sum_type = detail::matmul_sum_t<T>;
  using block_type = matmul_block<sum_type>;
  using pack_type = matmul_pack<sum_type, In>;

  const matmul_problem<T, In>& problem;
  const matmul_kernels_for<T, In>& kernels;
  const matmul_plan& plan;
  sum_type* a_lines;  ///< plan.a_elements elements of the calling thread
  sum_type* c_lines;  ///< plan.c_elements elements of the calling thread

  /// Packs at most `count` terms, starting at `from`, of the part's columns of b.
  void pack(const block_range& part, index_t from, index_t count, sum_type* panels) const {
    kernels.pack_b({.source = b_of(part) + from * problem.b_row,
                    .across = problem.b_column,
                    .along = problem.b_row,
                    .count = part.columns,
                    .terms = tandem::min(count, part.terms - from),
                    .to = panels,
                    .stride = part.terms,
                    .begin = from});
  }

  /// Describes how the kernels copy `count` terms, starting at `from`, of the part's rows of a.
  pack_type lines(const block_range& part, index_t from, index_t count) const {
    const matmul_problem<T, In>& p = problem;
    const In* const first = p.a + part.row * p.a_row + (part.term + from) * p.a_column;
    return {.source = first,
            .across = p.a_row,
            .along = p.a_column,
            .count = part.rows,
            .terms = count,
            .to = a_lines,
            .stride = plan.line};
  }

  /// Returns the part as the kernel takes it; the caller sets `totals` unless c holds them.
  /// `panels` is what pack() filled; it is ignored unless b is packed.
  block_type block(const block_range& part, const sum_type* panels) const {
    auto t = without_operands<sum_type>(part);
    t.b = panels;
    if constexpr (multiplies_unpacked<T, In>) set_operands(part, t);
    return t;
  }

  /// Returns the part for multiply_partial(), which takes a few terms of a chunk at a time; the
  /// caller copies the rows of a.
  matmul_block<sum_type, In> skinny_block(const block_range& part) const {
    auto t = without_operands<In>(part);
    t.a = a_lines;
    t.a_row = plan.line;
    t.b = b_of(part);
    t.b_row = problem.b_row;
    set_starts(part, t);
    return t;
  }

  /// Packs the part's rows of a to `to`.
  void pack_rows(const block_range& part, sum_type* to) const {
    pack_type rows = lines(part, 0, part.terms);
    rows.to = to;
    kernels.pack_a(rows);
  }

  /// Computes the block of a part, a few rows at a time if it packs the rows of a.
  void multiply(const block_range& part, block_type t) const {
    if (plan.packed_rows == 0 || plan.shares_rows) return kernels.multiply(t);
    pack_type rows = lines(part, 0, part.terms);
    t.a = a_lines;
    t.a_row = plan.line;
    for (index_t left = part.rows; left > 0; left -= t.rows) {
      t.rows = tandem::min(plan.packed_rows, left);
      rows.count = t.rows;
      kernels.pack_a(rows);
      rows.source += t.rows * problem.a_row;
      kernels.multiply(t);
      t.c += t.rows * t.c_row;
      t.totals += t.rows * t.totals_row;
    }
  }

  /// Finishes a part after its last chunk: rounds, or applies the epilogue.
  void finish(const block_range& part) const {
    if constexpr (rounds_results<T>) {
      round_block(problem, part, c_lines);
    } else {
      apply_epilogue(problem, part);
    }
  }

 private:
  /// Returns the part's first element of b.
  const In* b_of(const block_range& part) const {
    return problem.b + part.term * problem.b_row + part.column * problem.b_column;
  }

  template <class Source>
  matmul_block<sum_type, Source> without_operands(const block_range& part) const {
    matmul_block<sum_type, Source> t;
    t.rows = part.rows;
    t.columns = part.columns;
    t.terms = part.terms;
    set_results(part, t);
    t.first = part.term == 0;
    t.last = part.term + part.terms == problem.k;
    t.rows_outermost = plan.rows_outermost;
    t.exceeds_l2 = plan.exceeds_l2;
    t.a_exceeds_l2 = plan.exceeds_l2 && (plan.packed_rows == 0 || plan.shares_rows);
    t.nontemporal = plan.nontemporal;
    return t;
  }

  /// Sets a, and b unless it is packed.
  void set_operands(const block_range& part, block_type& t) const {
    const matmul_problem<T, In>& p = problem;
    t.a = p.a + part.row * p.a_row + part.term * p.a_column;
    t.a_row = p.a_row;
    set_starts(part, t);
    if (!plan.packs_b) {
      t.b = b_of(part);
      t.b_row = p.b_row;
    }
    if (plan.method == matmul_method::direct && p.batch > 1) {
      t.a_next = p.a_batch;
      t.b_next = p.b_batch;
    }
  }

  /// Sets c, which also holds the totals; if results are rounded, `c_lines` holds them instead.
  template <class Block>
  void set_results(const block_range& part, Block& t) const {
    const matmul_problem<T, In>& p = problem;
    if constexpr (rounds_results<T>) {
      t.c = c_lines;
      t.c_row = part.columns;
      t.c_column = 1;
    } else {
      t.c = p.c + part.row * p.c_row + part.column * p.c_column;
      t.c_row = p.c_row;
      t.c_column = p.c_column;
      t.alpha = p.alpha;
      t.beta = p.beta;
    }
    t.totals = t.c;
    t.totals_row = t.c_row;
    t.totals_column = t.c_column;
  }

  /// Sums of the first chunk start from the elements in front of a's rows, those of later chunks
  /// from 0.
  template <class Block>
  void set_starts(const block_range& part, Block& t) const {
    if constexpr (multiplies_unpacked<T, In>) {
      if (!kernels.starts) return;
      static constexpr sum_type zero{};
      const bool begins = part.term == 0;
      t.starts = begins ? problem.a + part.row * problem.a_row - 1 : &zero;
      t.starts_row = begins ? problem.a_row : 0;
    }
  }
};

}  // namespace tandem::openmp_impl
