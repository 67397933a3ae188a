// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/backends/openmp/matmul_team.hpp>
#include <tandem/core/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// Computes one entry of a batch (problem.batch is not looked at) with all threads of `team`, which
/// call this together.
///
/// @param scratch  plan.elements() elements that the team shares; contents undefined before and
///                 after
template <class T>
void multiply(matmul_team& team, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels,
              const matmul_plan& plan, T* scratch);

extern template void multiply(matmul_team&, const matmul_problem<float>&,
                              const matmul_kernels<float>&, const matmul_plan&, float*);
extern template void multiply(matmul_team&, const matmul_problem<double>&,
                              const matmul_kernels<double>&, const matmul_plan&, double*);
extern template void multiply(matmul_team&, const matmul_problem<std::int32_t>&,
                              const matmul_kernels<std::int32_t>&, const matmul_plan&,
                              std::int32_t*);

}  // namespace tandem::openmp_impl
