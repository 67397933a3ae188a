// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/plan.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/histogram_problem.hpp>

/// The files that a histogram's kernels are spread over, so that they compile side by side: one for
/// each way of giving bins, apart for counts and for sums of weights.
namespace tandem::cuda_impl {

void count_uniform(const cuda& space, const histogram_problem& problem);
void count_integers(const cuda& space, const histogram_problem& problem);
void count_between_edges(const cuda& space, const histogram_problem& problem);
void sum_uniform(const cuda& space, const histogram_problem& problem);
void sum_integers(const cuda& space, const histogram_problem& problem);
void sum_between_edges(const cuda& space, const histogram_problem& problem);

/// Enqueues zeros.
void clear_memory(const cuda& space, void* pointer, std::size_t bytes);

/// The plan for a problem on the space's device. The request comes with what the kernel decides:
/// bytes of a value, of a copy of a bin and of tables.
histogram_plan plan_histogram(const cuda& space, const histogram_problem& problem,
                              histogram_request request);

}  // namespace tandem::cuda_impl
