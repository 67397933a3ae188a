// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram_count_launch.cuh>
#include <tandem/core/visit_sample.hpp>

namespace tandem::cuda_impl {

void count_uniform(const cuda& space, const histogram_problem& problem) {
  visit_float(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const uniform_bin_rule<T> rule(static_cast<T>(problem.lo), static_cast<T>(problem.hi),
                                   problem.bins);
    const histogram_plan plan = plan_count<uniform_bin_rule<T>>(space, problem);
    plan.shared ? launch_count(space, problem, plan, rule)
                : launch_global_count(space, problem, plan, rule);
  });
}

}  // namespace tandem::cuda_impl
