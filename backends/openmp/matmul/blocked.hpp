// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

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

}  // namespace tandem::openmp_impl
