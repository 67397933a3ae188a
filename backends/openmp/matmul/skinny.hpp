// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Computes one chunk of k for the columns of a group, step by step.
template <class T, class In>
void multiply_chunk(const matmul_panels<T, In>& panels, const block_range& chunk,
                    detail::matmul_sum_t<T>* chains) {
  const matmul_plan& plan = panels.plan;
  auto whole = panels.skinny_block(chunk);
  whole.chains = chains;
  if (plan.totals_elements > 0) {
    whole.totals = chains + plan.b_elements;
    whole.totals_row = chunk.columns;
    whole.totals_column = 1;
  }
  for (index_t from = 0; from < chunk.terms; from += matmul_policy::skinny_terms) {
    auto piece = whole;
    piece.terms = tandem::min(matmul_policy::skinny_terms, chunk.terms - from);
    piece.begins = from == 0;
    piece.ends = from + piece.terms == chunk.terms;
    piece.b += from * panels.problem.b_row;
    panels.kernels.pack_a(panels.lines(chunk, from, piece.terms));
    panels.kernels.multiply_partial(piece);
  }
}

/// Runs matmul_method::skinny: each step multiplies a few terms of all columns of a group, so that
/// b is read in long rows and never copied. Between steps the group's chains are kept in `chains`
/// (plan.b_elements, followed by the totals).
template <class T, class In>
void multiply_skinny(const matmul_panels<T, In>& panels, detail::matmul_sum_t<T>* chains) {
  const matmul_problem<T, In>& p = panels.problem;
  for (index_t column = 0; column < p.n; column += panels.plan.group) {
    block_range part{0, p.m, column, tandem::min(panels.plan.group, p.n - column), 0, 0};
    for (; part.term < p.k; part.term += part.terms) {
      part.terms = tandem::min(panels.kernels.chunk, p.k - part.term);
      multiply_chunk(panels, part, chains);
    }
    panels.finish(part);
  }
}

}  // namespace tandem::openmp_impl
