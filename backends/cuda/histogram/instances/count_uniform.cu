// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/count_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

template <class T>
void count_with(const cuda& space, const histogram_problem& problem,
                const uniform_bin_rule<T>& rule) {
  if (!rule.nearest_edge_decides()) return launch_planned_count(space, problem, rule);
  const histogram_plan plan = plan_histogram(space, problem, request_count<T>(0, sizeof(T)));
  plan.shared ? launch_count(space, problem, plan, uniform_table_rule<T>{rule})
              : launch_global_count(space, problem, plan, rule);
}

}  // namespace

void count_uniform(const cuda& space, const histogram_problem& problem) {
  visit_float(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    count_with(
        space, problem,
        uniform_bin_rule<T>(static_cast<T>(problem.lo), static_cast<T>(problem.hi), problem.bins));
  });
}

}  // namespace tandem::cuda_impl
