// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/backends/openmp/matmul_plan.hpp>
#include <tandem/backends/openmp/matmul_team.hpp>
#include <tandem/core/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// Computes several chunks of k at once, each into a matrix of its own, and adds them in order: for
/// a c too small to occupy the threads. Parameters as multiply().
template <class T>
void multiply_split(matmul_team& team, const matmul_problem<T>& problem,
                    const matmul_kernels<T>& kernels, const matmul_plan& plan, T* scratch);

extern template void multiply_split(matmul_team&, const matmul_problem<float>&,
                                    const matmul_kernels<float>&, const matmul_plan&, float*);
extern template void multiply_split(matmul_team&, const matmul_problem<double>&,
                                    const matmul_kernels<double>&, const matmul_plan&, double*);

}  // namespace tandem::openmp_impl
