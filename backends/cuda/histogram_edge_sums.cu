// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram_sum_launch.cuh>
#include <tandem/core/visit_sample.hpp>

namespace tandem::cuda_impl {

void sum_between_edges(const cuda& space, const histogram_problem& problem) {
  visit_sample(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const edge_bin_rule<T> rule(static_cast<const T*>(problem.edges), problem.bins);
    const std::size_t table_bytes = static_cast<std::size_t>(problem.bins + 1) * sizeof(T);
    visit_float(problem.weight_type, [&](auto weight) {
      launch_sum<decltype(weight)>(space, problem, rule, table_bytes);
    });
  });
}

}  // namespace tandem::cuda_impl
