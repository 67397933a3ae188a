// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_pieces.hpp>

#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// One chunk of k for the columns of a group, from its first piece to its last.
template <class T>
void multiply_chunk(const matmul_panels<T>& panels, const matmul_part& chunk, T* chains) {
  const matmul_problem<T>& p = panels.problem;
  matmul_block<T> whole = panels.block(chunk, nullptr);
  whole.chains = chains;
  if (panels.plan.totals_elements > 0) {
    whole.totals = chains + panels.plan.b_elements;
    whole.totals_row = chunk.columns;
    whole.totals_column = 1;
  }
  for (index_t from = 0; from < chunk.terms; from += matmul_policy::piece_terms) {
    matmul_block<T> piece = whole;
    piece.terms = tandem::min(matmul_policy::piece_terms, chunk.terms - from);
    piece.begins = from == 0;
    piece.ends = from + piece.terms == chunk.terms;
    piece.a = panels.a_lines;
    piece.a_row = panels.plan.line;
    piece.b = whole.b + from * p.b_row;
    panels.kernels.pack_a({.source = whole.a + from * p.a_column,
                           .across = p.a_row,
                           .along = p.a_column,
                           .count = chunk.rows,
                           .terms = piece.terms,
                           .to = panels.a_lines,
                           .stride = piece.a_row});
    panels.kernels.multiply_piece(piece);
  }
}

}  // namespace

template <class T>
void multiply_pieces(const matmul_panels<T>& panels, T* chains) {
  const matmul_problem<T>& p = panels.problem;
  for (index_t column = 0; column < p.n; column += panels.plan.group) {
    matmul_part part{0, p.m, column, tandem::min(panels.plan.group, p.n - column), 0, 0};
    for (; part.term < p.k; part.term += part.terms) {
      part.terms = tandem::min(panels.kernels.chunk, p.k - part.term);
      multiply_chunk(panels, part, chains);
    }
    finish_part(p, part);
  }
}

template void multiply_pieces(const matmul_panels<float>&, float*);
template void multiply_pieces(const matmul_panels<double>&, double*);
template void multiply_pieces(const matmul_panels<std::int32_t>&, std::int32_t*);

}  // namespace tandem::openmp_impl
