// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/count_bytes_kernel.cuh>
#include <tandem/backends/cuda/histogram/count_launch.cuh>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem::cuda_impl {

namespace {

/// Integers of more than one byte.
template <class T>
void count_wider(const cuda& space, const histogram_problem& problem) {
  using Index = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  const histogram_plan plan = plan_histogram(space, problem, request_count<T>());
  if (plan.shared && (sizeof(T) > 4 || integer_bins_fit_32<T>(problem.first, problem.bins))) {
    launch_count(space, problem, plan, integer_bin_rule<T, Index>(problem.first, problem.bins));
  } else {
    launch_global_count(space, problem, plan, integer_bin_rule<T>(problem.first, problem.bins));
  }
}

}  // namespace

void count_integers(const cuda& space, const histogram_problem& problem) {
  visit_integer(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 1) {
      return launch_count_bytes<T>(space, problem);
    } else {
      count_wider<T>(space, problem);
    }
  });
}

}  // namespace tandem::cuda_impl
