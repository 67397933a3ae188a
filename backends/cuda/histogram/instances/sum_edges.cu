// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/weighted_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

template <class T, class W>
void sum_with(const cuda& space, const histogram_problem& problem) {
  const auto* const edges = static_cast<const T*>(problem.edges);
  const edge_table table = plan_edge_table(problem.bins, sizeof(T));
  const histogram_plan plan = plan_optional_table(request_sum<T, W>(space, problem, table.bytes));
  if (plan.table_shared) {
    launch_sum<W>(space, problem, plan,
                  explicit_table_rule<T>{edges, static_cast<int>(problem.bins), table.last});
  } else {
    launch_sum<W>(space, problem, plan, edge_bin_rule<T>(edges, problem.bins));
  }
}

}  // namespace

void sum_between_edges(const cuda& space, const histogram_problem& problem) {
  visit_element_type(problem.x_type, [&](auto zero) {
    visit_float(problem.weight_type,
                [&](auto weight) { sum_with<decltype(zero), decltype(weight)>(space, problem); });
  });
}

}  // namespace tandem::cuda_impl
