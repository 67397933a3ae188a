// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/core/matmul_problem.hpp>

#include <vector>

namespace tandem::openmp_impl {

/// The kernels that this CPU can run, fastest first; never empty. T is float or double.
template <class T>
const std::vector<const matmul_kernels<T>*>& usable_matmul_kernels();

/// Computes a matmul with at most `threads` threads and the kernels of one instruction set.
template <class T>
void run_matmul(int threads, const matmul_problem<T>& problem, const matmul_kernels<T>& kernels);

extern template void run_matmul(int, const matmul_problem<float>&, const matmul_kernels<float>&);
extern template void run_matmul(int, const matmul_problem<double>&, const matmul_kernels<double>&);

}  // namespace tandem::openmp_impl
