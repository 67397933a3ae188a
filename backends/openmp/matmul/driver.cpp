// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/driver.hpp>

#include <tandem/backends/openmp/matmul/blocked.hpp>
#include <tandem/backends/openmp/matmul/naive.hpp>
#include <tandem/backends/openmp/matmul/skinny.hpp>
#include <tandem/backends/openmp/matmul/split_k.hpp>
#include <tandem/backends/openmp/matmul/tiled.hpp>

namespace tandem::openmp_impl {
namespace {

/// Runs matmul_method::small.
template <class T, class In>
void multiply_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
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
void matmul_driver<T, In>::multiply(matmul_team& team, const problem_type& problem,
                                    const kernels_type& kernels, const matmul_plan& plan,
                                    sum_type* scratch) {
  const index_t each = plan.own_elements();
  auto* const own = scratch + team.rank() * each;
  auto* const shared = scratch + team.size() * each;
  const matmul_panels<T, In> panels{problem, kernels, plan, own, own + plan.a_elements};
  switch (plan.method) {
    case matmul_method::small:
      return multiply_small(problem, kernels);
    case matmul_method::direct: {
      const block_range whole{0, problem.m, 0, problem.n, 0, problem.k};
      kernels.multiply(panels.block(whole, nullptr));
      return panels.finish(whole);
    }
    case matmul_method::skinny:
      return multiply_skinny(panels, shared);
    case matmul_method::blocked:
      return multiply_blocked(team, panels, shared);
    case matmul_method::split_k:
      return multiply_split_k(team, panels, panels.c_lines + plan.c_elements, shared);
  }
}

template <class T, class In>
void matmul_driver<T, In>::run_scheduled(const matmul_schedule& schedule, const problem_type& p,
                                         const kernels_type& kernels) {
  if (schedule.plan.method == matmul_method::small) return multiply_small(p, kernels);
  explain(schedule, kernels.instruction_set, p.batch, p.m, p.n, p.k);
  auto* const scratch = reserve<sum_type>(schedule);
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
void matmul_driver<T, In>::run(int threads, const problem_type& problem,
                               const kernels_type& kernels)
  requires(detail::matmul_products::has<In, T>)
{
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem, kernels);
  if (problem.kernel == matmul_kernel::tiled)
    return run_tiled(useful_threads(threads, problem), problem, kernels.multiply_square);
  if (is_small(problem, kernels)) return multiply_small(problem, kernels);
  const auto p = canonical_orientation(problem, kernels.lanes);
  run_scheduled(schedule_matmul(p, kernels, threads), p, kernels);
}

// Every pair of types that products of this backend have.
template struct matmul_driver<float, float>;
template struct matmul_driver<double, double>;
template struct matmul_driver<float, half>;
template struct matmul_driver<float, bf16>;
template struct matmul_driver<half, half>;
template struct matmul_driver<bf16, bf16>;
// Elements of several terms: of bf16, and of 8-bit integers.
template struct matmul_driver<bf16, float>;
template struct matmul_driver<std::int32_t, std::int32_t>;

}  // namespace tandem::openmp_impl
