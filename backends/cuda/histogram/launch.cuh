// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/count_kernel.cuh>
#include <tandem/backends/cuda/histogram/plan.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/histogram_problem.hpp>

/// From a problem, through a plan, to the launch of a counting kernel.
namespace tandem::cuda_impl {

// The instances, in separate files so that they compile in parallel: one per rule that determines
// the bins, separately for counts and for sums of weights.

void count_uniform(const cuda& space, const histogram_problem& problem);
void count_integers(const cuda& space, const histogram_problem& problem);
void count_between_edges(const cuda& space, const histogram_problem& problem);
void sum_uniform(const cuda& space, const histogram_problem& problem);
void sum_integers(const cuda& space, const histogram_problem& problem);
void sum_between_edges(const cuda& space, const histogram_problem& problem);

/// Returns the request for a problem on the space's device, completed with what the kernel
/// determines.
///
/// @param kernel  bytes per value, per copy of a bin, and of tables
inline histogram_request make_request(const cuda& space, const histogram_problem& problem,
                                      histogram_request kernel) {
  const device_limits& device = limits(space);
  kernel.bins = problem.bins;
  kernel.size = problem.size;
  kernel.multiprocessors = device.multiprocessors;
  kernel.block_shared = device.block_shared - histogram_static_shared;
  return kernel;
}

/// Returns the request for counting values of type T; tables as in histogram_request.
template <class T>
histogram_request request_count(const cuda& space, const histogram_problem& problem,
                                std::size_t table_bytes = 0, std::size_t table_edge_bytes = 0) {
  return make_request(space, problem,
                      {.value_bytes = sizeof(T),
                       .bin_bytes = sizeof(unsigned),
                       .table_bytes = table_bytes,
                       .table_edge_bytes = table_edge_bytes});
}

/// Enqueues zeros for all counts.
inline void clear_counts(const cuda& space, const histogram_problem& problem) {
  set_bytes(space, "histogram", problem.counts, 0,
            static_cast<std::size_t>(problem.bins) * static_cast<std::size_t>(problem.count_bytes));
}

template <class Rule>
count_arguments<Rule> make_count_arguments(const cuda& space, const histogram_problem& problem,
                                           const histogram_plan& plan, const Rule& rule) {
  return {.x = make_histogram_input<typename Rule::value_type>(problem.x, problem.size,
                                                               problem.x_stride),
          .rule = rule,
          .counts = {problem.counts, static_cast<unsigned>(problem.count_bytes)},
          .slice = plan.slice,
          .copies = plan.copies,
          .table_offset = static_cast<unsigned>(plan.bins_bytes),
          .slots = plan.slots,
          .arrivals = reinterpret_cast<arrival_counters*>(counters(space))};
}

/// Launches a count with bins in shared memory.
template <class Rule>
void launch_count(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
                  const Rule& rule) {
  const launch_shape shape = {.grid = {plan.blocks, plan.slices},
                              .block = histogram_block,
                              .shared_bytes = plan.shared_bytes,
                              .label = "histogram",
                              .programmatic_launch = true};
  launch(space, shape, count_kernel<Rule>, make_count_arguments(space, problem, plan, rule));
}

/// Launches a count with bins in global memory.
template <class Rule>
void launch_global_count(const cuda& space, const histogram_problem& problem,
                         const histogram_plan& plan, const Rule& rule) {
  clear_counts(space, problem);
  const launch_shape shape = {.grid = {plan.blocks},
                              .block = histogram_block,
                              .shared_bytes = plan.shared_bytes,
                              .label = "histogram",
                              .programmatic_launch = true};
  launch(space, shape, count_global_kernel<Rule>, make_count_arguments(space, problem, plan, rule));
}

/// Launches a count as planned.
template <class Rule>
void run_count(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
               const Rule& rule) {
  plan.shared ? launch_count(space, problem, plan, rule)
              : launch_global_count(space, problem, plan, rule);
}

}  // namespace tandem::cuda_impl
