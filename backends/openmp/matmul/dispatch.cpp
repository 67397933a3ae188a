// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/schedule.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/backends/openmp/matmul/tiled.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// `count` elements of the calling thread's scratch.
template <class T>
T* panels(index_t count) {
  return static_cast<T*>(own_scratch.panels.at_least(static_cast<std::size_t>(count) * sizeof(T)));
}

/// Calls f(team) on `threads` threads, or on fewer where the runtime provides no more. f must not
/// throw: the other threads would wait forever for the one that left.
template <class Function>
void run_team(int threads, const Function& f) {
  index_t next = 0;
  run_parallel(threads, [&](int rank, int size) {
    matmul_team team(rank, size, &next);
    f(team);
  });
}

/// Scratch of run_naive: the totals of a row for each thread, where they are rounded.
template <class T, class In>
detail::matmul_sum_t<T>* naive_rows(int threads, const matmul_problem<T, In>& problem) {
  return rounds_results<T> ? panels<detail::matmul_sum_t<T>>(threads * problem.n) : nullptr;
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

/// Whether the product is too small to be worth a plan; the kernels must be able to read and write
/// every matrix in place.
template <class T, class In>
bool is_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  constexpr index_t most = 96;
  return works_in_place<T, In> && p.batch == 1 && p.m <= most && p.n <= most && p.k <= most &&
         p.n >= kernels.lanes && p.a_column == 1 && p.b_column == 1 && p.c_column == 1 &&
         p.b_row != 0;
}

template <class T, class In>
void run_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  if constexpr (works_in_place<T, In>) {
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
    apply_epilogue(p, {0, p.m, 0, p.n, 0, p.k});
  }
}

/// Runs a product whose blocks of c are each computed by one thread.
template <class T, class In>
void run_blocks(const matmul_problem<T, In>& p, const matmul_schedule& schedule,
                const matmul_kernels_for<T, In>& kernels, detail::matmul_sum_t<T>* scratch) {
  const matmul_partition& part = schedule.partition;
  const index_t each = schedule.plan.elements(1);
  const index_t across = ceil_div(p.n, part.columns);
  run_team(schedule.threads, [&](matmul_team& team) {
    matmul_team solo;
    team.for_each(ceil_div(p.m, part.rows) * across, [&](index_t item) {
      const auto block =
          subproblem(p, item / across * part.rows, item % across * part.columns, part);
      multiply(solo, block, kernels, schedule.plan, scratch + each * team.rank());
    });
  });
}

/// Runs a batch whose entries are each computed by one thread.
template <class T, class In>
void run_entries(const matmul_problem<T, In>& p, const matmul_schedule& schedule,
                 const matmul_kernels_for<T, In>& kernels, detail::matmul_sum_t<T>* scratch) {
  run_team(schedule.threads, [&](matmul_team& team) {
    auto* const own = scratch + schedule.plan.elements(1) * team.rank();
    matmul_team solo;
    team.for_each_range(p.batch, [&](index_t begin, index_t end) {
      for (index_t entry = begin; entry < end; ++entry)
        multiply(solo, detail::batch_slice(p, entry, end - entry), kernels, schedule.plan, own);
    });
  });
}

}  // namespace

template <class T, class In>
void run_scheduled(const matmul_schedule& schedule, const matmul_problem<T, In>& p,
                   const matmul_kernels_for<T, In>& kernels) {
  explain(schedule, kernels.instruction_set, p.batch, p.m, p.n, p.k);
  auto* const scratch = panels<detail::matmul_sum_t<T>>(schedule.elements());
  switch (schedule.sharing) {
    case matmul_sharing::blocks:
      return run_blocks(p, schedule, kernels, scratch);
    case matmul_sharing::entries:
      return run_entries(p, schedule, kernels, scratch);
    case matmul_sharing::team:
      return run_team(schedule.threads, [&](matmul_team& team) {
        for (index_t entry = 0; entry < p.batch; ++entry)
          multiply(team, detail::batch_slice(p, entry, 1), kernels, schedule.plan, scratch);
      });
  }
}

template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem, kernels);
  if (problem.kernel == matmul_kernel::tiled)
    return run_tiled(useful_threads(threads, problem), problem, kernels.multiply_square);
  if (is_small(problem, kernels)) return run_small(problem, kernels);
  const auto p = canonical_orientation(problem, kernels.lanes);
  run_scheduled(schedule_matmul(p, kernels, threads), p, kernels);
}

template <class T, class In>
void run_oriented(int threads, const matmul_problem<T, In>& p,
                  const matmul_kernels_for<T, In>& kernels) {
  if (is_small(p, kernels)) return run_small(p, kernels);
  run_scheduled(schedule_matmul(p, kernels, threads), p, kernels);
}

template <class T, class In>
void reserve_matmul(int threads, const matmul_problem<T, In>& problem,
                    const matmul_kernels_for<T, In>& kernels) {
  if (problem.kernel == matmul_kernel::naive) {
    naive_rows(useful_threads(threads, problem), problem);
  } else {
    reserve_oriented(threads, canonical_orientation(problem, kernels.lanes), kernels);
  }
}

template <class T, class In>
void reserve_oriented(int threads, const matmul_problem<T, In>& p,
                      const matmul_kernels_for<T, In>& kernels) {
  if (is_small(p, kernels)) return;
  panels<detail::matmul_sum_t<T>>(schedule_matmul(p, kernels, threads).elements());
}

template void run_matmul(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_matmul(int, const matmul_problem<double>&, const matmul_kernels<double>&);
template void run_matmul(int, const matmul_problem<float, bf16>&,
                         const matmul_kernels<float, bf16>&);
template void run_matmul(int, const matmul_problem<float, half>&,
                         const matmul_kernels<float, half>&);
template void run_matmul(int, const matmul_problem<bf16>&, const matmul_kernels<float, bf16>&);
template void run_matmul(int, const matmul_problem<half>&, const matmul_kernels<float, half>&);
template void run_oriented(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_oriented(int, const matmul_problem<bf16, float>&, const matmul_kernels<float>&);
template void run_oriented(int, const matmul_problem<std::int32_t>&,
                           const matmul_kernels<std::int32_t>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<float>&,
                            const matmul_kernels<float>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<double>&,
                            const matmul_kernels<double>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<float, bf16>&,
                            const matmul_kernels<float, bf16>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<float, half>&,
                            const matmul_kernels<float, half>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<bf16>&,
                            const matmul_kernels<float, bf16>&);
template void run_scheduled(const matmul_schedule&, const matmul_problem<half>&,
                            const matmul_kernels<float, half>&);
template void reserve_matmul(int, const matmul_problem<float, bf16>&,
                             const matmul_kernels<float, bf16>&);
template void reserve_matmul(int, const matmul_problem<bf16>&, const matmul_kernels<float, bf16>&);
template void reserve_oriented(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void reserve_oriented(int, const matmul_problem<bf16, float>&,
                               const matmul_kernels<float>&);

}  // namespace tandem::openmp_impl

namespace tandem {

void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          openmp_impl::best_kernels<openmp_impl::matmul_kernels<float>>());
}

void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          openmp_impl::best_kernels<openmp_impl::matmul_kernels<double>>());
}

}  // namespace tandem
