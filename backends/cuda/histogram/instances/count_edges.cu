// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

void count_between_edges(const cuda& space, const histogram_problem& problem) {
  visit_element_type(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    const auto* const edges = static_cast<const T*>(problem.edges);
    const edge_table table = plan_edge_table(problem.bins, sizeof(T));
    const histogram_plan plan = plan_optional_table(request_count<T>(space, problem, table.bytes));
    if (plan.table_shared) {
      launch_count(space, problem, plan,
                   explicit_table_rule<T>{edges, static_cast<int>(problem.bins), table.last});
    } else {
      run_count(space, problem, plan, edge_bin_rule<T>(edges, problem.bins));
    }
  });
}

}  // namespace tandem::cuda_impl
