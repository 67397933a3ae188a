// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_multiply.hpp>

#include <unistd.h>

#include <tandem/backends/openmp/matmul_block.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Bytes of a core's own cache, or half a MiB where the system does not say.
index_t own_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return index_t{1} << 19;
}

/// A block's tiles cut into tasks of `rows` x `columns` tiles. A task's panels of b stay in the core's own cache while
/// those of a pass by, each of them read once from the shared one.
struct task_grid {
  index_t rows;
  index_t columns;
  index_t row_tasks;
  index_t column_tasks;
};

template <class T>
task_grid make_tasks(const matmul_block<T>& block, int threads) {
  const index_t row_panels = block.row_panels();
  const index_t column_panels = block.column_panels();
  const index_t panel_bytes = matmul_chunk * block.kernels.columns * static_cast<index_t>(sizeof(T));
  // Two thirds of the cache: panels of a and tiles of c pass through it too.
  const index_t cached = tandem::max<index_t>(own_cache_bytes() * 2 / 3 / panel_bytes, 1);
  const index_t tiles = tandem::max<index_t>(row_panels * column_panels / (threads * matmul_policy::tasks), 1);
  const index_t columns = tandem::min(tandem::min(cached, tiles), column_panels);
  const index_t rows = tandem::min(tandem::max<index_t>(tiles / columns, 1), row_panels);
  return {rows, columns, ceil_div(row_panels, rows), ceil_div(column_panels, columns)};
}

/// All tiles of one task. Tasks of the same columns follow each other.
template <class T>
void run_task(const matmul_block<T>& block, const task_grid& tasks, index_t task) {
  const index_t i_begin = task % tasks.row_tasks * tasks.rows;
  const index_t j_begin = task / tasks.row_tasks * tasks.columns;
  const index_t i_end = tandem::min(i_begin + tasks.rows, block.row_panels());
  const index_t j_end = tandem::min(j_begin + tasks.columns, block.column_panels());
  for (index_t i = i_begin; i < i_end; ++i) {
    for (index_t j = j_begin; j < j_end; ++j) block.kernels.multiply_tile(block.tile(i, j));
  }
}

/// Chunk after chunk for each block of c.
template <class T>
void multiply_blocked(matmul_team& team, const matmul_problem<T>& p, const matmul_kernels<T>& kernels,
                      const matmul_plan& plan, T* scratch) {
  matmul_block<T> block{p, kernels, 0, 0, 0, 0, 0, 0, scratch, scratch + plan.a_elements, nullptr};
  if (plan.totals_elements > 0) block.totals = block.b_panels + plan.b_elements;
  for (block.column = 0; block.column < p.n; block.column += plan.block_columns) {
    block.columns = tandem::min(plan.block_columns, p.n - block.column);
    for (block.row = 0; block.row < p.m; block.row += plan.block_rows) {
      block.rows = tandem::min(plan.block_rows, p.m - block.row);
      block.term = 0;
      do {  // once even for k = 0, where c becomes beta * c
        block.terms = tandem::min(matmul_chunk, p.k - block.term);
        team.share(block.pack_items(), [&](index_t item) { block.pack(item); });
        const task_grid tasks = make_tasks(block, team.size());
        team.share(tasks.row_tasks * tasks.column_tasks, [&](index_t task) { run_task(block, tasks, task); });
        block.term += block.terms;
      } while (block.term < p.k);
    }
  }
}

/// Adds the chains of `chunks` chunks to row i's totals, in ascending order, and finishes the row with the last of them.
///
/// @param chains  chunks matrices of m x n elements, the totals behind them
template <class T>
void add_chains(const matmul_problem<T>& p, T* chains, T* totals, index_t chunks, bool first, bool last, index_t i) {
  const index_t matrix = p.m * p.n;
  for (index_t j = 0; j < p.n; ++j) {
    const index_t at = i * p.n + j;
    T total = first ? chains[at] : totals[at] + chains[at];
    for (index_t z = 1; z < chunks; ++z) total = total + chains[z * matrix + at];
    totals[at] = total;
    if (!last) continue;
    T& c = p.c[i * p.c_row + j * p.c_column];
    const T scaled = p.alpha * total;
    c = p.beta != 0 ? tandem::fma(p.beta, c, scaled) : scaled;
  }
}

/// Several chunks at once, each into a matrix of its own, for a c too small to occupy the threads.
template <class T>
void multiply_split(matmul_team& team, const matmul_problem<T>& p, const matmul_kernels<T>& kernels,
                    const matmul_plan& plan, T* scratch) {
  T* chains = scratch + plan.a_elements + plan.b_elements;
  T* totals = chains + plan.chunks * p.m * p.n;
  const index_t all = ceil_div(p.k, matmul_chunk);
  const auto block_of = [&](index_t chunk, index_t z) {
    const index_t term = chunk * matmul_chunk;
    const index_t panels = matmul_chunk * z;
    return matmul_block<T>{p, kernels, 0, p.m, 0, p.n, term, tandem::min(matmul_chunk, p.k - term),
                           scratch + panels * plan.block_rows, scratch + plan.a_elements + panels * plan.block_columns,
                           chains + z * p.m * p.n};
  };
  for (index_t begin = 0; begin < all; begin += plan.chunks) {
    const index_t chunks = tandem::min(plan.chunks, all - begin);
    const matmul_block<T> first = block_of(begin, 0);
    // Chunks have equal numbers of items but for the last one of k, whose last items may not exist.
    const index_t items = first.pack_items();
    team.share(items * chunks, [&](index_t item) {
      const matmul_block<T> block = block_of(begin + item / items, item / items);
      if (item % items < block.pack_items()) block.pack(item % items);
    });
    const index_t row_panels = first.row_panels();
    const index_t tiles = row_panels * first.column_panels();
    team.share(tiles * chunks, [&](index_t task) {
      const index_t z = task / tiles;
      matmul_tile<T> tile = block_of(begin + z, z).tile(task % tiles % row_panels, task % tiles / row_panels);
      tile.first = true;
      tile.last = false;
      kernels.multiply_tile(tile);
    });
    team.share(p.m, [&](index_t i) { add_chains(p, chains, totals, chunks, begin == 0, begin + chunks == all, i); });
  }
}

/// Without packing but for columns of b that no whole vector holds.
template <class T>
void multiply_direct(const matmul_problem<T>& p, const matmul_kernels<T>& kernels, T* panel) {
  for (index_t j = 0; j < p.n; j += kernels.columns) {
    matmul_tile<T> t{.terms = p.k, .a_row = p.a_row, .a_column = p.a_column, .c_row = p.c_row, .c_column = p.c_column};
    t.alpha = p.alpha;
    t.beta = p.beta;
    t.columns = static_cast<int>(tandem::min<index_t>(kernels.columns, p.n - j));
    t.b = p.b + j * p.b_column;
    t.b_row = p.b_row;
    if (p.b_column != 1 || t.columns % kernels.lanes != 0) {
      kernels.pack_b({t.b, p.b_column, p.b_row, t.columns, round_up(t.columns, kernels.lanes), p.k, panel, 0});
      t.b = panel;
      t.b_row = kernels.columns;
    }
    for (index_t i = 0; i < p.m; i += kernels.rows) {
      t.rows = static_cast<int>(tandem::min<index_t>(kernels.rows, p.m - i));
      t.a = p.a + i * p.a_row;
      t.c = p.c + i * p.c_row + j * p.c_column;
      kernels.multiply_tile(t);
    }
  }
}

}  // namespace

template <class T>
void multiply(matmul_team& team, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels,
              const matmul_plan& plan, T* scratch) {
  switch (plan.method) {
    case matmul_method::direct:
      return multiply_direct(problem, kernels, scratch);
    case matmul_method::blocked:
      return multiply_blocked(team, problem, kernels, plan, scratch);
    case matmul_method::split:
      return multiply_split(team, problem, kernels, plan, scratch);
  }
}

template void multiply(matmul_team&, const matmul_problem<float>&, const matmul_kernels<float>&, const matmul_plan&,
                       float*);
template void multiply(matmul_team&, const matmul_problem<double>&, const matmul_kernels<double>&, const matmul_plan&,
                       double*);

}  // namespace tandem::openmp_impl
