// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/contract/matmul_types.hpp>

namespace tandem::openmp_impl {

/// Runs products with results of type T and operands of type In. driver.cpp lists the types.
///
/// An element of a or b may hold several terms (packed_terms/kernels.hpp): two of bf16 in a float,
/// two or four of std::int8_t in a std::int32_t. Such products have schedules but no kernel to
/// choose.
template <class T, class In>
struct matmul_driver {
  using problem_type = matmul_problem<T, In>;
  using kernels_type = matmul_kernels_for<T, In>;
  using sum_type = detail::matmul_sum_t<T>;

  static void run(int threads, const problem_type& problem, const kernels_type& kernels)
    requires(detail::matmul_products::has<In, T>);
  static void run_scheduled(const matmul_schedule& schedule, const problem_type& problem,
                            const kernels_type& kernels);
  static void multiply(matmul_team& team, const problem_type& problem, const kernels_type& kernels,
                       const matmul_plan& plan, sum_type* scratch);
};

/// Computes a matmul with at most `threads` threads and the kernels of one instruction set.
template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels) {
  matmul_driver<T, In>::run(threads, problem, kernels);
}

/// Computes a matmul in its canonical orientation as `schedule` says, which schedule_matmul() made
/// for its form.
template <class T, class In>
void run_scheduled(const matmul_schedule& schedule, const matmul_problem<T, In>& problem,
                   const matmul_kernels_for<T, In>& kernels) {
  matmul_driver<T, In>::run_scheduled(schedule, problem, kernels);
}

/// Computes one entry of a batch with all threads of `team`, which call this together;
/// problem.batch is ignored.
///
/// @param scratch  plan.elements() elements that the team shares; their contents are undefined
///                 before and after
template <class T, class In>
void multiply(matmul_team& team, const matmul_problem<T, In>& problem,
              const matmul_kernels_for<T, In>& kernels, const matmul_plan& plan,
              detail::matmul_sum_t<T>* scratch) {
  matmul_driver<T, In>::multiply(team, problem, kernels, plan, scratch);
}

/// Reserves the scratch of a schedule with sums of type Sum, so that a caller can fail before
/// anything is written. Errors: out_of_memory_error.
template <class Sum>
Sum* reserve(const matmul_schedule& schedule) {
  return own_scratch.panels_of<Sum>(schedule.elements());
}

}  // namespace tandem::openmp_impl
