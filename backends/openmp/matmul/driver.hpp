// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/schedule.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// Computes a matmul with at most `threads` threads and the kernels of one instruction set.
template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels);

/// Computes a matmul that canonical_orientation() returned, whatever its `kernel` says. Here an
/// element of a or b may hold several terms (packed_terms/kernels.hpp): two of bf16 in a float, two
/// or four of std::int8_t in a std::int32_t, which T may then be.
template <class T, class In>
void run_oriented(int threads, const matmul_problem<T, In>& problem,
                  const matmul_kernels_for<T, In>& kernels);

/// Computes a matmul in its canonical orientation as `schedule` says, which schedule_matmul() made
/// for it and these kernels.
template <class T, class In>
void run_scheduled(const matmul_schedule& schedule, const matmul_problem<T, In>& problem,
                   const matmul_kernels_for<T, In>& kernels);

/// Takes the scratch that run_matmul() needs for a product, which a caller does who runs several
/// and writes nothing where there is no memory for one of them. Errors: out_of_memory_error.
template <class T, class In>
void reserve_matmul(int threads, const matmul_problem<T, In>& problem,
                    const matmul_kernels_for<T, In>& kernels);

/// Takes the scratch that run_oriented() needs.
template <class T, class In>
void reserve_oriented(int threads, const matmul_problem<T, In>& problem,
                      const matmul_kernels_for<T, In>& kernels);

}  // namespace tandem::openmp_impl
