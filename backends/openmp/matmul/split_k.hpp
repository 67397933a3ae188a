// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/lanes.hpp>
#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Consecutive chunks that are in flight together, and their matrices.
template <class T, class In>
struct chunk_group {
  using sum_type = detail::matmul_sum_t<T>;

  const matmul_panels<T, In>& panels;
  sum_type* scratch;
  index_t first;   ///< chunk of k
  index_t chunks;  ///< at most plan.chunks

  index_t m() const { return panels.problem.m; }
  index_t n() const { return panels.problem.n; }
  bool begins() const { return first == 0; }
  index_t chunk() const { return panels.kernels.chunk; }
  bool ends() const { return (first + chunks) * chunk() >= panels.problem.k; }

  /// Returns the chains of chunk `z` of the group, an m x n matrix; chunk plan.chunks holds the
  /// totals.
  sum_type* chains(index_t z) const { return scratch + z * m() * n(); }

  /// Computes the chains of chunk `z`. `own` is the calling thread's scratch for its panels.
  void multiply(index_t z, sum_type* own) const {
    const matmul_plan& plan = panels.plan;
    const index_t term = (first + z) * chunk();
    const index_t terms = tandem::min(chunk(), panels.problem.k - term);
    for (index_t column = 0; column < n(); column += plan.group) {
      const block_range part{0, m(), column, tandem::min(plan.group, n() - column), term, terms};
      sum_type* packed = own + column * terms;
      if (plan.packs_b) panels.pack(part, 0, terms, packed);
      auto block = panels.block(part, packed);
      block.totals = chains(z) + column;
      block.totals_row = n();
      block.totals_column = 1;
      // Each chunk is independent: a tile stores its chain.
      block.first = true;
      block.last = false;
      panels.multiply(part, block);
    }
  }
};

/// Computes row i of c from its totals.
template <class T, class In>
void finish_row(const matmul_problem<T, In>& p, index_t i, detail::matmul_sum_t<T>* totals) {
  if constexpr (rounds_results<T>) {
    round_block(p, {i, 1, 0, p.n, 0, p.k}, totals);
  } else {
    for (index_t j = 0; j < p.n; ++j) {
      T& c = p.c[i * p.c_row + j * p.c_column];
      const T scaled = times(p.alpha, totals[j]);
      c = p.beta != 0 ? fused(p.beta, c, scaled) : scaled;
    }
    apply_epilogue(p, {i, 1, 0, p.n, 0, p.k});
  }
}

/// Adds the group's chains to the totals of row i, in ascending order, and finishes the row with
/// the last group.
template <class T, class In>
void add_chains(const chunk_group<T, In>& group, index_t i) {
  const index_t n = group.n();
  auto* const totals = group.chains(group.panels.plan.chunks) + i * n;
  for (index_t z = 0; z < group.chunks; ++z) {
    const auto* const chains = group.chains(z) + i * n;
    if (z == 0 && group.begins()) {
      for (index_t j = 0; j < n; ++j) totals[j] = chains[j];
    } else {
      for (index_t j = 0; j < n; ++j) totals[j] = plus(totals[j], chains[j]);
    }
  }
  if (group.ends()) finish_row(group.panels.problem, i, totals);
}

/// Runs matmul_method::split_k: computes several chunks of k at once, each into a separate matrix,
/// and adds them in order, if c is too small to occupy the threads.
///
/// @param own     plan.b_elements of the calling thread
/// @param totals  plan.totals_elements of the team
template <class T, class In>
void multiply_split_k(matmul_team& team, const matmul_panels<T, In>& panels,
                      detail::matmul_sum_t<T>* own, detail::matmul_sum_t<T>* totals) {
  const index_t chunks = ceil_div(panels.problem.k, panels.kernels.chunk);
  for (index_t first = 0; first < chunks; first += panels.plan.chunks) {
    const index_t count = tandem::min(panels.plan.chunks, chunks - first);
    const chunk_group<T, In> group{panels, totals, first, count};
    team.for_each(count, [&](index_t z) { group.multiply(z, own); });
    team.for_each(panels.problem.m, [&](index_t i) { add_chains(group, i); });
  }
}

}  // namespace tandem::openmp_impl
