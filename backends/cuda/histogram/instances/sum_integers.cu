// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/weighted_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

void sum_integers(const cuda& space, const histogram_problem& problem) {
  visit_integer(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    visit_float(problem.weight_type, [&](auto weight) {
      using W = decltype(weight);
      const histogram_plan plan = plan_histogram(request_sum<T, W>(space, problem));
      launch_sum<W>(space, problem, plan, integer_bin_rule<T>(problem.first, problem.bins));
    });
  });
}

}  // namespace tandem::cuda_impl
