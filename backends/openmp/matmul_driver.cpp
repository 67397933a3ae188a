// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_driver.hpp>

#include <utility>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/matmul_multiply.hpp>
#include <tandem/backends/openmp/matmul_panels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/backends/openmp/matmul_team.hpp>
#include <tandem/core/host_allocation.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Memory for panels that a thread keeps from one matmul to the next, until it ends: fresh pages
/// would cost more than packing them.
class panel_memory {
 public:
  panel_memory() = default;
  panel_memory(const panel_memory&) = delete;
  panel_memory& operator=(const panel_memory&) = delete;
  ~panel_memory() { detail::free_host(pointer_, alignment); }

  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      detail::free_host(std::exchange(pointer_, nullptr), alignment);
      bytes_ = 0;
      pointer_ = detail::allocate_host("matmul", bytes, alignment);
      bytes_ = bytes;
    }
    return pointer_;
  }

 private:
  static constexpr std::size_t alignment = 4096;  // a page
  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

thread_local panel_memory own_panel_memory;

/// The calling thread's memory for `count` elements.
template <class T>
T* panels(index_t count) {
  return static_cast<T*>(own_panel_memory.at_least(static_cast<std::size_t>(count) * sizeof(T)));
}

/// A batch whose entries share b, and lie in a and c as rows below each other, is one product of
/// more rows.
template <class T>
void merge_rows(matmul_problem<T>& p) {
  if (p.m == 1) {
    p.a_row = p.a_batch;
    p.c_row = p.c_batch;
  }
  if (p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.c_batch != p.m * p.c_row) return;
  if (p.bias != nullptr && p.bias_row != 0) return;  // it begins anew with each entry
  p.m *= p.batch;
  p.batch = 1;
}

/// The same product as c^T = b^T a^T.
template <class T>
void transpose(matmul_problem<T>& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a_batch, p.b_batch);
  std::swap(p.a_row, p.b_column);
  std::swap(p.a_column, p.b_row);
  std::swap(p.c_row, p.c_column);
  std::swap(p.bias_row, p.bias_column);
}

/// The problem in the form that the kernels like best: one entry rather than many, rows of c
/// contiguous and long.
template <class T>
matmul_problem<T> in_best_form(matmul_problem<T> p, const matmul_kernels<T>& kernels) {
  if (p.batch > 1) merge_rows(p);
  if (p.batch > 1) {
    transpose(p);
    merge_rows(p);
    transpose(p);
  }
  const bool columns_contiguous = p.c_row == 1 && p.c_column != 1 && p.n > 1;
  const bool rows_short = p.n < kernels.lanes && p.n < p.m;
  const bool columns_short = p.m < kernels.lanes && p.m < p.n;
  if (rows_short || (columns_contiguous && !columns_short)) transpose(p);
  return p;
}

template <class T>
matmul_problem<T> entry_of(matmul_problem<T> p, index_t entry) {
  p.a += entry * p.a_batch;
  p.b += entry * p.b_batch;
  p.c += entry * p.c_batch;
  p.batch = 1;
  return p;
}

/// Threads that are worth their fork, at most `threads`.
template <class T>
int useful_threads(int threads, const matmul_problem<T>& p) {
  const double work = static_cast<double>(p.batch) * static_cast<double>(p.m) *
                      static_cast<double>(p.n) * static_cast<double>(tandem::max<index_t>(p.k, 1));
  const double useful = 1 + work / static_cast<double>(matmul_policy::thread_work);
  return useful < threads ? static_cast<int>(useful) : threads;
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
      const matmul_problem<T> p = entry_of(problem, row / problem.m);
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

}  // namespace

template <class T>
void run_matmul(int threads, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem, kernels);
  if (is_small(problem, kernels)) return run_small(problem, kernels);
  const matmul_problem<T> p = in_best_form(problem, kernels);
  const int useful = useful_threads(threads, p);
  const bool by_entries = share_entries(useful, p);
  const matmul_plan plan = plan_matmul(p, kernels, by_entries ? 1 : useful);
  const index_t each = plan.elements(by_entries ? 1 : useful);
  T* scratch = panels<T>(each * (by_entries ? useful : 1));
  run_team(useful, [&](matmul_team& team) {
    if (by_entries) {
      T* own = scratch + each * team.rank();
      matmul_team alone;
      team.share(p.batch,
                 [&](index_t entry) { multiply(alone, entry_of(p, entry), kernels, plan, own); });
    } else {
      for (index_t entry = 0; entry < p.batch; ++entry) {
        multiply(team, entry_of(p, entry), kernels, plan, scratch);
      }
    }
  });
}

template void run_matmul(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_matmul(int, const matmul_problem<double>&, const matmul_kernels<double>&);

}  // namespace tandem::openmp_impl
