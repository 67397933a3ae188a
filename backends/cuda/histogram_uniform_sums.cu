// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram_sum_launch.cuh>
#include <tandem/core/visit_sample.hpp>

namespace tandem::cuda_impl {

void sum_uniform(const cuda& space, const histogram_problem& problem) {
  visit_float(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const uniform_bin_rule<T> rule(static_cast<T>(problem.lo), static_cast<T>(problem.hi),
                                   problem.bins);
    visit_float(problem.weight_type,
                [&](auto weight) { launch_sum<decltype(weight)>(space, problem, rule); });
  });
}

}  // namespace tandem::cuda_impl
