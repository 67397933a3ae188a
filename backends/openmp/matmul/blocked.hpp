// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// One step of the blocked method: the groups of columns and the rows that the team computes
/// together for one chunk of k.
template <class T, class In>
struct blocked_step {
  using sum_type = detail::matmul_sum_t<T>;

  const matmul_panels<T, In>& panels;
  block_range part;  ///< its columns are those of all groups
  sum_type* b_panels;
  sum_type* totals;  ///< part.rows x part.columns, or null if c holds them
  sum_type* a_rows;  ///< packed rows of the part, or null if none are shared

  index_t groups() const { return ceil_div(part.columns, panels.plan.group); }

  /// The columns of one group.
  block_range of_group(index_t group) const {
    block_range one = part;
    const index_t before = group * panels.plan.group;
    one.column += before;
    one.columns = tandem::min(panels.plan.group, part.columns - before);
    return one;
  }

  sum_type* panels_of(index_t group) const {
    return b_panels + group * panels.plan.group * part.terms;
  }

  index_t pack_ranges() const { return ceil_div(part.terms, matmul_policy::pack_terms); }

  index_t b_items() const { return panels.plan.packs_b ? groups() * pack_ranges() : 0; }

  /// Work items of the packing phase.
  index_t items() const {
    return b_items() + (a_rows == nullptr ? 0 : ceil_div(part.rows, panels.plan.packed_rows));
  }

  void pack(index_t item) const {
    if (item >= b_items()) return pack_rows((item - b_items()) * panels.plan.packed_rows);
    const index_t group = item / pack_ranges();
    const index_t from = item % pack_ranges() * matmul_policy::pack_terms;
    panels.pack(of_group(group), from, matmul_policy::pack_terms, panels_of(group));
  }

  index_t units_of_group() const { return ceil_div<index_t>(part.rows, panels.kernels.rows); }

  /// Multiplies units `begin` .. `end` - 1: rows of tiles, group after group.
  void multiply(index_t begin, index_t end) const {
    const index_t height = panels.kernels.rows;
    // An epilogue or rounding pass should find the results in the cache.
    const bool again = rounds_results<T> || detail::epilogue_of(panels.problem).has_epilogue();
    const index_t most = again ? matmul_policy::finished_units : units_of_group();
    while (begin < end) {
      const index_t group = begin / units_of_group();
      const index_t unit = begin % units_of_group();
      const index_t count = tandem::min(tandem::min(units_of_group() - unit, end - begin), most);
      const index_t row = unit * height;
      multiply_rows(group, row, tandem::min(count * height, part.rows - row));
      begin += count;
    }
  }

 private:
  void pack_rows(index_t row) const {
    block_range some = part;
    some.row += row;
    some.rows = tandem::min(panels.plan.packed_rows, part.rows - row);
    panels.pack_rows(some, a_rows + row * panels.plan.line);
  }

  void multiply_rows(index_t group, index_t row, index_t rows) const {
    block_range one = of_group(group);
    one.row += row;
    one.rows = rows;
    auto block = panels.block(one, panels_of(group));
    if (totals != nullptr) {
      block.totals = totals + row * part.columns + group * panels.plan.group;
      block.totals_row = part.columns;
      block.totals_column = 1;
    }
    if (a_rows != nullptr) {
      block.a = a_rows + row * panels.plan.line;
      block.a_row = panels.plan.line;
    }
    panels.multiply(one, block);
    if (block.last) panels.finish(one);
  }
};

/// Runs matmul_method::blocked: chunk after chunk of k for each block of c.
template <class T, class In>
void multiply_blocked(matmul_team& team, const matmul_panels<T, In>& panels,
                      detail::matmul_sum_t<T>* shared) {
  const matmul_problem<T, In>& p = panels.problem;
  const matmul_plan& plan = panels.plan;
  const index_t width = plan.groups * plan.group;
  auto* const totals = plan.totals_elements > 0 ? shared + plan.b_elements : nullptr;
  auto* const a_rows = plan.shares_rows ? shared + plan.b_elements + plan.totals_elements : nullptr;
  for (index_t row = 0; row < p.m; row += plan.block_rows) {
    const index_t rows = tandem::min(plan.block_rows, p.m - row);
    for (index_t column = 0; column < p.n; column += width) {
      const index_t columns = tandem::min(width, p.n - column);
      index_t term = 0;
      do {  // once even if k = 0: then c becomes beta * c
        const index_t terms = tandem::min(panels.kernels.chunk, p.k - term);
        const blocked_step<T, In> step{
            panels, {row, rows, column, columns, term, terms}, shared, totals, a_rows};
        if (plan.packs_b || plan.shares_rows)
          team.for_each(step.items(), [&](index_t item) { step.pack(item); });
        team.for_each_range(step.groups() * step.units_of_group(),
                            [&](index_t begin, index_t end) { step.multiply(begin, end); });
        term += terms;
      } while (term < p.k);
    }
  }
}

}  // namespace tandem::openmp_impl
