// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_split.hpp>

#include <tandem/backends/openmp/matmul_arithmetic.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Consecutive chunks that are in flight together, and where they go.
template <class T>
struct chunk_group {
  const matmul_panels<T>& panels;
  T* scratch;
  index_t first;   ///< chunk of k
  index_t chunks;  ///< at most plan.chunks

  index_t m() const { return panels.problem.m; }
  index_t n() const { return panels.problem.n; }
  bool begins() const { return first == 0; }
  index_t chunk() const { return panels.kernels.chunk; }
  bool ends() const { return (first + chunks) * chunk() >= panels.problem.k; }

  /// The chains of chunk `z` of the group, an m x n matrix; behind those of the last one the
  /// totals.
  T* chains(index_t z) const { return scratch + z * m() * n(); }

  /// Computes the chains of chunk `z`. `own` is the calling thread's memory for all of its panels.
  void multiply(index_t z, T* own) const {
    const matmul_plan& plan = panels.plan;
    const index_t term = (first + z) * chunk();
    const index_t terms = tandem::min(chunk(), panels.problem.k - term);
    for (index_t column = 0; column < n(); column += plan.group) {
      const matmul_part part{0, m(), column, tandem::min(plan.group, n() - column), term, terms};
      T* packed = own + column * terms;
      if (plan.packs_b) panels.pack(part, 0, terms, packed);
      matmul_block<T> block = panels.block(part, packed);
      block.totals = chains(z) + column;
      block.totals_row = n();
      block.totals_column = 1;
      // Each chunk by itself: what a tile stores is the chain.
      block.first = true;
      block.last = false;
      panels.multiply(block);
    }
  }
};

/// Adds the group's chains to the totals of row i, in ascending order, and finishes the row with
/// the last group.
template <class T>
void add_chains(const chunk_group<T>& group, index_t i) {
  const matmul_problem<T>& p = group.panels.problem;
  const index_t at = i * p.n;
  T* totals = group.chains(group.panels.plan.chunks) + at;
  for (index_t z = 0; z < group.chunks; ++z) {
    const T* chains = group.chains(z) + at;
    if (z == 0 && group.begins()) {
      for (index_t j = 0; j < p.n; ++j) totals[j] = chains[j];
    } else {
      for (index_t j = 0; j < p.n; ++j) totals[j] = plus(totals[j], chains[j]);
    }
  }
  if (!group.ends()) return;
  for (index_t j = 0; j < p.n; ++j) {
    T& c = p.c[i * p.c_row + j * p.c_column];
    const T scaled = times(p.alpha, totals[j]);
    c = p.beta != 0 ? fused(p.beta, c, scaled) : scaled;
  }
  finish_part(p, {i, 1, 0, p.n, 0, p.k});
}

}  // namespace

template <class T>
void multiply_split(matmul_team& team, const matmul_panels<T>& panels, T* own, T* totals) {
  const index_t chunks = ceil_div(panels.problem.k, panels.kernels.chunk);
  for (index_t first = 0; first < chunks; first += panels.plan.chunks) {
    const index_t count = tandem::min(panels.plan.chunks, chunks - first);
    const chunk_group<T> group{panels, totals, first, count};
    team.share(count, [&](index_t z) { group.multiply(z, own); });
    team.share(panels.problem.m, [&](index_t i) { add_chains(group, i); });
  }
}

template void multiply_split(matmul_team&, const matmul_panels<float>&, float*, float*);
template void multiply_split(matmul_team&, const matmul_panels<double>&, double*, double*);
template void multiply_split(matmul_team&, const matmul_panels<std::int32_t>&, std::int32_t*,
                             std::int32_t*);

}  // namespace tandem::openmp_impl
