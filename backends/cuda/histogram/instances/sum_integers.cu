// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/weighted_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

void sum_integers(const cuda& space, const histogram_problem& problem) {
  visit_integer(problem.x_type, [&](auto zero) {
    const integer_bin_rule<decltype(zero)> rule(problem.first, problem.bins);
    visit_float(problem.weight_type,
                [&](auto weight) { launch_planned_sum<decltype(weight)>(space, problem, rule); });
  });
}

}  // namespace tandem::cuda_impl
