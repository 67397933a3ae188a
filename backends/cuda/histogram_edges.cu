// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram_count_launch.cuh>
#include <tandem/core/visit_sample.hpp>

namespace tandem::cuda_impl {

void count_between_edges(const cuda& space, const histogram_problem& problem) {
  visit_sample(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const edge_bin_rule<T> rule(static_cast<const T*>(problem.edges), problem.bins);
    const std::size_t table_bytes = static_cast<std::size_t>(problem.bins + 1) * sizeof(T);
    const histogram_plan plan = plan_count<edge_bin_rule<T>>(space, problem, table_bytes);
    plan.shared ? launch_count(space, problem, plan, rule)
                : launch_global_count(space, problem, plan, rule);
  });
}

}  // namespace tandem::cuda_impl
