// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// Computes a matmul with at most `threads` threads and the kernels of one instruction set.
template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels);

/// Computes a matmul that canonical_orientation() (problem_transforms.hpp) returned, whatever its
/// `kernel` says. Here an element of a or b may hold several terms (packed_terms/kernels.hpp): two
/// of bf16 in a float, two or four of std::int8_t in a std::int32_t, which T may then be.
template <class T, class In>
void run_oriented(int threads, const matmul_problem<T, In>& problem,
                  const matmul_kernels_for<T, In>& kernels);

}  // namespace tandem::openmp_impl
