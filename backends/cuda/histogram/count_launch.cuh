// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/count_kernel.cuh>
#include <tandem/backends/cuda/histogram/launch.cuh>

/// From a problem to the launch of a counting kernel.
namespace tandem::cuda_impl {

/// A request for counting values of type T; the tables are as in histogram_request.
template <class T>
histogram_request request_count(std::size_t table_bytes = 0, std::size_t table_edge_bytes = 0) {
  return {.value_bytes = sizeof(T),
          .bin_bytes = sizeof(unsigned),
          .table_bytes = table_bytes,
          .table_edge_bytes = table_edge_bytes};
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

/// Counts with bins in shared memory.
template <class Rule>
void launch_count(const cuda& space, const histogram_problem& problem, const histogram_plan& plan,
                  const Rule& rule) {
  const launch_shape shape = {.grid = {plan.blocks, plan.slices},
                              .block = histograms.block,
                              .shared_bytes = plan.shared_bytes,
                              .label = "histogram",
                              .programmatic_launch = true};
  launch(space, shape, count_kernel<Rule>, make_count_arguments(space, problem, plan, rule));
}

/// Counts with bins in global memory.
template <class Rule>
void launch_global_count(const cuda& space, const histogram_problem& problem,
                         const histogram_plan& plan, const Rule& rule) {
  clear_memory(
      space, problem.counts,
      static_cast<std::size_t>(problem.bins) * static_cast<std::size_t>(problem.count_bytes));
  const launch_shape shape = {.grid = {plan.blocks},
                              .block = histograms.block,
                              .shared_bytes = plan.shared_bytes,
                              .label = "histogram",
                              .programmatic_launch = true};
  launch(space, shape, count_global_kernel<Rule>, make_count_arguments(space, problem, plan, rule));
}

/// Counts where the plan says.
template <class Rule>
void launch_planned_count(const cuda& space, const histogram_problem& problem, const Rule& rule) {
  const histogram_plan plan =
      plan_histogram(space, problem, request_count<typename Rule::value_type>());
  plan.shared ? launch_count(space, problem, plan, rule)
              : launch_global_count(space, problem, plan, rule);
}

}  // namespace tandem::cuda_impl
