// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/block_range.hpp>
#include <tandem/backends/openmp/matmul/gelu.hpp>
#include <tandem/backends/openmp/matmul/kernels/kernel_types.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/round_to_16bit.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>

#include <type_traits>

namespace tandem::openmp_impl {

/// Bias and activation of the elements of c in a part of which the kernels have seen to alpha and
/// beta: a pass over what the caches still hold, and none where there is no epilogue.
template <class T, class In>
void finish_part(const matmul_problem<T, In>& p, const matmul_part& part) {
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

/// A product with its scratch: fills panels, and runs the kernels on parts of c. Results that are
/// to be rounded go to `c_lines` first, as plain sums.
template <class T, class In>
struct matmul_panels {
  using sum_type = detail::matmul_sum_t<T>;
  using block_type = matmul_block<sum_type>;
  using pack_type = matmul_pack<sum_type, matmul_source<In>>;

  const matmul_problem<T, In>& problem;
  const matmul_kernels_for<T, In>& kernels;
  const matmul_plan& plan;
  sum_type* a_lines;  ///< plan.a_elements of the calling thread
  sum_type* c_lines;  ///< plan.c_elements of the calling thread

  /// Packs terms from `from` on, at most `count`, of the part's columns of b into its panels.
  void pack(const matmul_part& part, index_t from, index_t count, sum_type* panels) const {
    kernels.pack_b({.source = b_of(part) + from * problem.b_row,
                    .across = problem.b_column,
                    .along = problem.b_row,
                    .count = part.columns,
                    .terms = tandem::min(count, part.terms - from),
                    .to = panels,
                    .stride = part.terms,
                    .begin = from});
  }

  /// The part's rows of a as the kernels copy them, terms from `from` on, `count` of them.
  pack_type lines(const matmul_part& part, index_t from, index_t count) const {
    const matmul_problem<T, In>& p = problem;
    const In* const first = p.a + part.row * p.a_row + (part.term + from) * p.a_column;
    return {.source = source_of(first),
            .across = p.a_row,
            .along = p.a_column,
            .count = part.rows,
            .terms = count,
            .to = a_lines,
            .stride = plan.line};
  }

  /// The part as the kernel gets it, without where totals go if they are not kept in c. `panels` is
  /// what pack() filled; not looked at where b is not packed.
  block_type block(const matmul_part& part, const sum_type* panels) const {
    auto t = without_operands<sum_type>(part);
    t.b = panels;
    if constexpr (multiplies_as_is<T, In>) set_operands(part, t);
    return t;
  }

  /// The same for pieces of a chunk, whose rows of a the caller copies.
  matmul_block<sum_type, matmul_source<In>> block_of_pieces(const matmul_part& part) const {
    auto t = without_operands<matmul_source<In>>(part);
    t.a = a_lines;
    t.a_row = plan.line;
    t.b = b_of(part);
    t.b_row = problem.b_row;
    set_starts(part, t);
    return t;
  }

  /// Packs the part's rows of a to `to`.
  void pack_rows(const matmul_part& part, sum_type* to) const {
    pack_type rows = lines(part, 0, part.terms);
    rows.to = to;
    kernels.pack_a(rows);
  }

  /// Computes a block of a part, some rows at a time where those of a have to be copied here.
  void multiply(const matmul_part& part, block_type t) const {
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

  /// Ends a part whose last chunk the kernels have done.
  void finish(const matmul_part& part) const {
    if constexpr (rounds_results<T>) {
      round_part(problem, part, c_lines);
    } else {
      finish_part(problem, part);
    }
  }

 private:
  /// The part's first element of b.
  const matmul_source<In>* b_of(const matmul_part& part) const {
    return source_of(problem.b + part.term * problem.b_row + part.column * problem.b_column);
  }

  template <class Source>
  matmul_block<sum_type, Source> without_operands(const matmul_part& part) const {
    matmul_block<sum_type, Source> t;
    t.rows = part.rows;
    t.columns = part.columns;
    t.terms = part.terms;
    set_results(part, t);
    t.first = part.term == 0;
    t.last = part.term + part.terms == problem.k;
    t.rows_outside = plan.rows_outside;
    t.far = plan.far;
    t.a_far = plan.far && (plan.packed_rows == 0 || plan.shares_rows);
    t.streams = plan.streams;
    return t;
  }

  /// Where a and b lie that are not packed.
  void set_operands(const matmul_part& part, block_type& t) const {
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

  /// Where c lies, which holds the totals as well, or what becomes it.
  template <class Block>
  void set_results(const matmul_part& part, Block& t) const {
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

  /// Sums of the first chunk begin with what lies in front of a's rows, those of others with 0.
  template <class Block>
  void set_starts(const matmul_part& part, Block& t) const {
    if constexpr (multiplies_as_is<T, In>) {
      if (!kernels.starts) return;
      static constexpr sum_type zero{};
      const bool begins = part.term == 0;
      t.starts = begins ? problem.a + part.row * problem.a_row - 1 : &zero;
      t.starts_row = begins ? problem.a_row : 0;
    }
  }
};

}  // namespace tandem::openmp_impl
