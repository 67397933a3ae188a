// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>

/// How one entry of a batch is computed: an engine per matmul_method.
namespace tandem::openmp_impl {

/// Computes one entry of a batch with all threads of `team`, which call this together;
/// problem.batch is ignored.
///
/// @param scratch  plan.elements() elements that the team shares; their contents are undefined
///                 before and after
template <class T, class In>
void multiply(matmul_team& team, const matmul_problem<T, In>& problem,
              const matmul_kernels_for<T, In>& kernels, const matmul_plan& plan,
              detail::matmul_sum_t<T>* scratch);

/// Runs matmul_method::skinny: each step multiplies a few terms of all columns of a group, so that
/// b is read in long rows and never copied. Between steps the group's chains are kept in `chains`
/// (plan.b_elements, followed by the totals).
template <class T, class In>
void multiply_skinny(const matmul_panels<T, In>& panels, detail::matmul_sum_t<T>* chains);

/// Runs matmul_method::split_k: computes several chunks of k at once, each into a matrix of its
/// own, and adds them in order, for a c too small to occupy the threads.
///
/// @param own     plan.b_elements of the calling thread
/// @param totals  plan.totals_elements of the team
template <class T, class In>
void multiply_split_k(matmul_team& team, const matmul_panels<T, In>& panels,
                      detail::matmul_sum_t<T>* own, detail::matmul_sum_t<T>* totals);

}  // namespace tandem::openmp_impl
