// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_panels.hpp>
#include <tandem/backends/openmp/matmul_team.hpp>

namespace tandem::openmp_impl {

/// Computes several chunks of k at once, each into a matrix of its own, and adds them in order: for
/// a c too small to occupy the threads.
///
/// @param own     plan.b_elements of the calling thread
/// @param totals  plan.totals_elements of the team
template <class T>
void multiply_split(matmul_team& team, const matmul_panels<T>& panels, T* own, T* totals);

extern template void multiply_split(matmul_team&, const matmul_panels<float>&, float*, float*);
extern template void multiply_split(matmul_team&, const matmul_panels<double>&, double*, double*);
extern template void multiply_split(matmul_team&, const matmul_panels<std::int32_t>&, std::int32_t*,
                                    std::int32_t*);

}  // namespace tandem::openmp_impl
