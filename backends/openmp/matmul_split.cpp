// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_split.hpp>

#include <tandem/backends/openmp/matmul_block.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Consecutive chunks that are in flight together, and where they go.
template <class T>
struct chunk_group {
  const matmul_problem<T>& problem;
  const matmul_kernels<T>& kernels;
  const matmul_plan& plan;
  T* scratch;
  index_t first;   ///< chunk of k
  index_t chunks;  ///< at most plan.chunks

  bool begins() const { return first == 0; }
  bool ends() const { return (first + chunks) * matmul_chunk >= problem.k; }

  /// The chains of chunk `z` of the group, an m x n matrix; behind those of the last one the
  /// totals.
  T* chains(index_t z) const {
    return scratch + plan.a_elements + plan.b_elements + z * problem.m * problem.n;
  }

  /// Chunk `z` of the group as a block of all of c.
  matmul_block<T> block(index_t z) const {
    const index_t term = (first + z) * matmul_chunk;
    const index_t before = z * matmul_chunk;
    return {.problem = problem,
            .kernels = kernels,
            .row = 0,
            .rows = problem.m,
            .column = 0,
            .columns = problem.n,
            .term = term,
            .terms = tandem::min(matmul_chunk, problem.k - term),
            .a_panels = scratch + before * plan.block_rows,
            .b_panels = scratch + plan.a_elements + before * plan.block_columns,
            .totals = chains(z)};
  }
};

/// Adds the group's chains to the totals of row i, in ascending order, and finishes the row with
/// the last group.
template <class T>
void add_chains(const chunk_group<T>& group, index_t i) {
  const matmul_problem<T>& p = group.problem;
  T* totals = group.chains(group.plan.chunks);
  for (index_t j = 0; j < p.n; ++j) {
    const index_t at = i * p.n + j;
    T total = group.begins() ? group.chains(0)[at] : totals[at] + group.chains(0)[at];
    for (index_t z = 1; z < group.chunks; ++z) total = total + group.chains(z)[at];
    totals[at] = total;
    if (!group.ends()) continue;
    T& c = p.c[i * p.c_row + j * p.c_column];
    const T scaled = p.alpha * total;
    c = p.beta != 0 ? tandem::fma(p.beta, c, scaled) : scaled;
  }
}

template <class T>
void multiply_group(matmul_team& team, const chunk_group<T>& group) {
  const matmul_block<T> first = group.block(0);
  // The last chunk of k may be shorter and have fewer items than the others.
  const index_t items = first.pack_items();
  team.share(items * group.chunks, [&](index_t item) {
    const matmul_block<T> block = group.block(item / items);
    if (item % items < block.pack_items()) block.pack(item % items);
  });
  const index_t row_panels = first.row_panels();
  const index_t tiles = row_panels * first.column_panels();
  team.share(tiles * group.chunks, [&](index_t task) {
    const index_t at = task % tiles;
    matmul_tile<T> tile = group.block(task / tiles).tile(at % row_panels, at / row_panels);
    // Each chunk by itself: what the tile stores is the chain.
    tile.first = true;
    tile.last = false;
    group.kernels.multiply_tile(tile);
  });
  team.share(group.problem.m, [&](index_t i) { add_chains(group, i); });
}

}  // namespace

template <class T>
void multiply_split(matmul_team& team, const matmul_problem<T>& problem,
                    const matmul_kernels<T>& kernels, const matmul_plan& plan, T* scratch) {
  const index_t chunks = ceil_div(problem.k, matmul_chunk);
  for (index_t first = 0; first < chunks; first += plan.chunks) {
    const index_t count = tandem::min(plan.chunks, chunks - first);
    multiply_group(team, chunk_group<T>{problem, kernels, plan, scratch, first, count});
  }
}

template void multiply_split(matmul_team&, const matmul_problem<float>&,
                             const matmul_kernels<float>&, const matmul_plan&, float*);
template void multiply_split(matmul_team&, const matmul_problem<double>&,
                             const matmul_kernels<double>&, const matmul_plan&, double*);

}  // namespace tandem::openmp_impl
