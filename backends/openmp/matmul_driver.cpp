// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_driver.hpp>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/matmul_form.hpp>
#include <tandem/backends/openmp/matmul_memory.hpp>
#include <tandem/backends/openmp/matmul_multiply.hpp>
#include <tandem/backends/openmp/matmul_panels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/backends/openmp/matmul_team.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

static_assert(kernel_chunk == matmul_chunk);

/// Panels of b and totals.
thread_local matmul_memory own_memory;

/// The calling thread's memory for `count` elements.
template <class T>
T* panels(index_t count) {
  return static_cast<T*>(own_memory.at_least(static_cast<std::size_t>(count) * sizeof(T)));
}

/// Calls f(team) on `threads` threads, or fewer where the runtime has no more. f does not throw:
/// the other threads would wait for the one that left.
template <class Function>
void run_team(int threads, const Function& f) {
  index_t next = 0;
  fork(threads, [&](int rank, int size) {
    matmul_team team(rank, size, &next);
    f(team);
  });
}

/// matmul_kernel::naive: rows of c, each element by itself.
template <class T>
void run_naive(int threads, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels) {
  run_team(useful_threads(threads, problem), [&](matmul_team& team) {
    team.share(problem.batch * problem.m, [&](index_t row) {
      const matmul_problem<T> p = entries_of(problem, row / problem.m, 1);
      const index_t i = row % problem.m;
      kernels.multiply_row({p.n, p.k, matmul_chunk, p.a + i * p.a_row, p.a_column, p.b, p.b_row,
                            p.b_column, p.c + i * p.c_row, p.c_column, p.alpha, p.beta});
      finish_part(p, {i, 1, 0, p.n, 0, p.k});
    });
  });
}

/// Whether the entries of a batch are better shared among threads than computed by all of them, one
/// after the other.
template <class T>
bool share_entries(int threads, const matmul_problem<T>& p) {
  const auto work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const double per_thread = work / threads;
  if (per_thread < static_cast<double>(matmul_policy::thread_work)) return p.batch > 1;
  return p.batch >= 2 * threads && per_thread < static_cast<double>(matmul_policy::entry_work);
}

/// A small product whose operands lie as the kernels read them: not worth a plan.
template <class T>
bool is_small(const matmul_problem<T>& p, const matmul_kernels<T>& kernels) {
  constexpr index_t most = 96;
  return p.batch == 1 && p.m <= most && p.n <= most && p.k <= most && p.n >= kernels.lanes &&
         p.a_column == 1 && p.b_column == 1 && p.c_column == 1 && p.b_row != 0;
}

template <class T>
void run_small(const matmul_problem<T>& p, const matmul_kernels<T>& kernels) {
  matmul_block<T> t;
  t.rows = p.m;
  t.columns = p.n;
  t.terms = p.k;
  t.a = p.a;
  t.a_row = p.a_row;
  if (kernels.starts) t.starts = p.a - 1;
  t.starts_row = p.a_row;
  t.b = p.b;
  t.b_row = p.b_row;
  t.c = p.c;
  t.c_row = p.c_row;
  t.c_column = 1;
  t.alpha = p.alpha;
  t.beta = p.beta;
  kernels.multiply(t);
  finish_part(p, {0, p.m, 0, p.n, 0, p.k});
}

/// Columns of the slices of b that threads take for themselves where c has few rows: b is read
/// once and used little, so that panels which travel from the core that packs them to those that
/// multiply cost more than everything else. 0 where threads share panels.
template <class T>
index_t slice_columns(int threads, const matmul_problem<T>& p, const matmul_kernels<T>& kernels) {
  const index_t columns = ceil_div<index_t>(p.n, kernels.columns);
  const index_t slices = threads * matmul_policy::slices;
  if (threads == 1 || p.batch > 1 || p.m > matmul_policy::slice_rows || columns < 2 * threads)
    return 0;
  return ceil_div(columns, slices) * kernels.columns;
}

/// The product of `count` columns of b.
template <class T>
matmul_problem<T> columns_of(matmul_problem<T> p, index_t first, index_t count) {
  p.n = count;
  p.b += first * p.b_column;
  p.c += first * p.c_column;
  if (p.bias != nullptr) p.bias += first * p.bias_column;
  return p;
}

/// A product of slices, each computed by one thread.
template <class T>
void run_slices(int threads, const matmul_problem<T>& p, index_t slice,
                const matmul_kernels<T>& kernels) {
  const matmul_plan plan = plan_matmul(columns_of(p, 0, slice), kernels, 1);
  const index_t each = plan.elements(1);
  T* const scratch = panels<T>(each * threads);
  run_team(threads, [&](matmul_team& team) {
    matmul_team alone;
    team.share(ceil_div(p.n, slice), [&](index_t item) {
      const index_t first = item * slice;
      multiply(alone, columns_of(p, first, tandem::min(slice, p.n - first)), kernels, plan,
               scratch + each * team.rank());
    });
  });
}

/// The product of a problem in its best form, with a plan.
template <class T>
void run_planned(int threads, const matmul_problem<T>& p, const matmul_kernels<T>& kernels) {
  const int useful = useful_threads(threads, p);
  const index_t slice = slice_columns(useful, p, kernels);
  if (slice > 0) return run_slices(useful, p, slice, kernels);
  const bool by_entries = share_entries(useful, p);
  const matmul_plan plan = plan_matmul(p, kernels, by_entries ? 1 : useful);
  const index_t each = plan.elements(by_entries ? 1 : useful);
  T* scratch = panels<T>(each * (by_entries ? useful : 1));
  run_team(useful, [&](matmul_team& team) {
    if (by_entries) {
      T* own = scratch + each * team.rank();
      matmul_team alone;
      team.share_ranges(p.batch, [&](index_t begin, index_t end) {
        for (index_t entry = begin; entry < end; ++entry) {
          multiply(alone, entries_of(p, entry, end - entry), kernels, plan, own);
        }
      });
    } else {
      for (index_t entry = 0; entry < p.batch; ++entry) {
        multiply(team, entries_of(p, entry, 1), kernels, plan, scratch);
      }
    }
  });
}

}  // namespace

template <class T>
int useful_threads(int threads, const matmul_problem<T>& p) {
  const double work = static_cast<double>(p.batch) * static_cast<double>(p.m) *
                      static_cast<double>(p.n) * static_cast<double>(tandem::max<index_t>(p.k, 1));
  const double useful = 1 + work / static_cast<double>(matmul_policy::thread_work);
  return useful < threads ? static_cast<int>(useful) : threads;
}

template <class T>
void run_matmul(int threads, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem, kernels);
  if (is_small(problem, kernels)) return run_small(problem, kernels);
  run_planned(threads, in_best_form(problem, kernels.lanes), kernels);
}

template <class T>
void run_in_best_form(int threads, const matmul_problem<T>& p, const matmul_kernels<T>& kernels) {
  if (is_small(p, kernels)) return run_small(p, kernels);
  run_planned(threads, p, kernels);
}

template int useful_threads(int, const matmul_problem<float>&);
template int useful_threads(int, const matmul_problem<std::int32_t>&);
template void run_matmul(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_matmul(int, const matmul_problem<double>&, const matmul_kernels<double>&);
template void run_in_best_form(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_in_best_form(int, const matmul_problem<std::int32_t>&,
                               const matmul_kernels<std::int32_t>&);

}  // namespace tandem::openmp_impl
