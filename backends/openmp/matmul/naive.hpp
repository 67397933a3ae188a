// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/epilogue.hpp>
#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>

namespace tandem::openmp_impl {

/// Reserves the scratch of run_naive: the totals of a row for each thread, if they are rounded.
template <class T, class In>
detail::matmul_sum_t<T>* naive_rows(int threads, const matmul_problem<T, In>& problem) {
  return rounds_results<T> ? own_scratch.panels_of<detail::matmul_sum_t<T>>(threads * problem.n)
                           : nullptr;
}

/// Runs matmul_kernel::naive: the threads share the rows of c, element by element.
template <class T, class In>
void run_naive(int threads, const matmul_problem<T, In>& problem,
               const matmul_kernels_for<T, In>& kernels) {
  using sum_type = detail::matmul_sum_t<T>;
  const int useful = useful_threads(threads, problem);
  auto* const rows = naive_rows(useful, problem);
  run_team(useful, [&](matmul_team& team) {
    team.for_each(problem.batch * problem.m, [&](index_t row) {
      const matmul_problem<T, In> p = detail::batch_slice(problem, row / problem.m, 1);
      const index_t i = row % problem.m;
      matmul_row<sum_type, In> r{.n = p.n,
                                 .k = p.k,
                                 .chunk = matmul_chunk,
                                 .a = p.a + i * p.a_row,
                                 .a_column = p.a_column,
                                 .b = p.b,
                                 .b_row = p.b_row,
                                 .b_column = p.b_column};
      if constexpr (rounds_results<T>) {
        r.c = rows + team.rank() * p.n;
        r.c_column = 1;
        kernels.multiply_row(r);
        round_block(p, {i, 1, 0, p.n, 0, p.k}, r.c);
      } else {
        r.c = p.c + i * p.c_row;
        r.c_column = p.c_column;
        r.alpha = p.alpha;
        r.beta = p.beta;
        kernels.multiply_row(r);
        apply_epilogue(p, {i, 1, 0, p.n, 0, p.k});
      }
    });
  });
}

}  // namespace tandem::openmp_impl
