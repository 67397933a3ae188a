// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_multiply.hpp>

#include <unistd.h>

#include <tandem/backends/openmp/matmul_block.hpp>
#include <tandem/backends/openmp/matmul_split.hpp>
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

/// A block's tiles cut into tasks of `rows` x `columns` tiles. A task's panels of b stay in the
/// core's own cache while those of a pass by, each of them read once from the shared one.
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
  const index_t panel_bytes =
      matmul_chunk * block.kernels.columns * static_cast<index_t>(sizeof(T));
  // Two thirds of the cache: panels of a and tiles of c pass through it too.
  const index_t cached = tandem::max<index_t>(own_cache_bytes() * 2 / 3 / panel_bytes, 1);
  const index_t most_columns = tandem::min(cached, column_panels);
  const index_t tiles =
      tandem::max<index_t>(row_panels * column_panels / (threads * matmul_policy::tasks), 1);
  // As many rows of c as columns, if they fit: then a task reads least for its multiply-adds.
  index_t columns = 1;
  while (columns < most_columns &&
         (columns + 1) * (columns + 1) * block.kernels.columns <= tiles * block.kernels.rows) {
    ++columns;
  }
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
void multiply_blocked(matmul_team& team, const matmul_problem<T>& p,
                      const matmul_kernels<T>& kernels, const matmul_plan& plan, T* scratch) {
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
        team.share(tasks.row_tasks * tasks.column_tasks,
                   [&](index_t task) { run_task(block, tasks, task); });
        block.term += block.terms;
      } while (block.term < p.k);
    }
  }
}

/// What all tiles of an unpacked product have in common.
template <class T>
matmul_tile<T> make_direct_tile(const matmul_problem<T>& p) {
  matmul_tile<T> t;
  t.terms = p.k;
  t.a_row = p.a_row;
  t.a_column = p.a_column;
  t.c_row = p.c_row;
  t.c_column = p.c_column;
  t.alpha = p.alpha;
  t.beta = p.beta;
  return t;
}

/// Without packing but for columns of b that no whole vector holds.
template <class T>
void multiply_direct(const matmul_problem<T>& p, const matmul_kernels<T>& kernels, T* panel) {
  matmul_tile<T> t = make_direct_tile(p);
  for (index_t j = 0; j < p.n; j += kernels.columns) {
    t.columns = static_cast<int>(tandem::min<index_t>(kernels.columns, p.n - j));
    t.b = p.b + j * p.b_column;
    t.b_row = p.b_row;
    if (p.b_column != 1 || t.columns % kernels.lanes != 0) {
      const int padded = round_up(t.columns, kernels.lanes);
      kernels.pack_b({t.b, p.b_column, p.b_row, t.columns, padded, p.k, panel, 0});
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

template void multiply(matmul_team&, const matmul_problem<float>&, const matmul_kernels<float>&,
                       const matmul_plan&, float*);
template void multiply(matmul_team&, const matmul_problem<double>&, const matmul_kernels<double>&,
                       const matmul_plan&, double*);

}  // namespace tandem::openmp_impl
