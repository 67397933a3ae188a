// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/kernel_types.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <vector>

namespace tandem::openmp_impl {

/// The kernels that this CPU can run, fastest first; never empty. T is float or double, In the same
/// or, of float, half or bf16.
template <class T, class In = T>
const std::vector<const matmul_kernels_for<T, In>*>& usable_matmul_kernels();

/// Threads that are worth their fork for a product, at most `threads`.
template <class T, class In>
int useful_threads(int threads, const matmul_problem<T, In>& problem);

/// Computes a matmul with at most `threads` threads and the kernels of one instruction set.
template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels);

/// The same for a problem that in_best_form (matmul_form.hpp) returned, whatever its `kernel` says.
/// An element of a or b may hold several terms here: of floats two of bf16
/// (matmul_bf16_kernels.hpp), of std::int32_t, which T may also be, those of
/// matmul_int8_kernels.hpp.
template <class T, class In>
void run_in_best_form(int threads, const matmul_problem<T, In>& problem,
                      const matmul_kernels_for<T, In>& kernels);

}  // namespace tandem::openmp_impl
