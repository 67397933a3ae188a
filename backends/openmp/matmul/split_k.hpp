// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>

namespace tandem::openmp_impl {

/// Runs matmul_method::split_k: computes several chunks of k at once, each into a matrix of its own,
/// and adds them in order, for a c too small to occupy the threads.
///
/// @param own     plan.b_elements of the calling thread
/// @param totals  plan.totals_elements of the team
template <class T, class In>
void multiply_split_k(matmul_team& team, const matmul_panels<T, In>& panels,
                      detail::matmul_sum_t<T>* own, detail::matmul_sum_t<T>* totals);

}  // namespace tandem::openmp_impl
