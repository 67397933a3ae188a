// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/panels.hpp>
#include <tandem/backends/openmp/matmul/schedule.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

/// What runs a product: whole ones, and one entry of a batch, by an engine per matmul_method.
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
