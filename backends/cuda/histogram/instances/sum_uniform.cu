// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/weighted_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

template <class W, class T>
void sum_with(const cuda& space, const histogram_problem& problem,
              const uniform_bin_rule<T>& rule) {
  const bool table = rule.nearest_edge_decides();
  const histogram_plan plan =
      plan_optional_table(request_sum<T, W>(space, problem, 0, table ? sizeof(T) : 0));
  if (plan.table_shared) {
    launch_sum<W>(space, problem, plan, uniform_table_rule<T>{rule});
  } else {
    launch_sum<W>(space, problem, plan, rule);
  }
}

}  // namespace

void sum_uniform(const cuda& space, const histogram_problem& problem) {
  visit_float(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const uniform_bin_rule<T> rule(static_cast<T>(problem.lo), static_cast<T>(problem.hi),
                                   problem.bins);
    visit_float(problem.weight_type,
                [&](auto weight) { sum_with<decltype(weight)>(space, problem, rule); });
  });
}

}  // namespace tandem::cuda_impl
