// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

template <class T>
void count_with(const cuda& space, const histogram_problem& problem,
                const uniform_bin_rule<T>& rule) {
  const bool table = rule.nearest_edge_decides();
  const histogram_plan plan =
      plan_histogram(request_count<T>(space, problem, 0, table ? sizeof(T) : 0));
  if (plan.table_shared) {
    launch_count(space, problem, plan, uniform_table_rule<T>{rule});
  } else {
    run_count(space, problem, plan, rule);
  }
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
