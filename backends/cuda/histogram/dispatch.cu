// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/dispatch.hpp>
#include <tandem/backends/cuda/histogram/launch.cuh>

namespace tandem {

void dispatch_histogram(const cuda& space, const histogram_problem& problem) {
  const bool weighted = problem.is_weighted();
  switch (problem.rule) {
    case bin_rule::uniform:
      return weighted ? cuda_impl::sum_uniform(space, problem)
                      : cuda_impl::count_uniform(space, problem);
    case bin_rule::integer:
      return weighted ? cuda_impl::sum_integers(space, problem)
                      : cuda_impl::count_integers(space, problem);
    case bin_rule::edges:
      return weighted ? cuda_impl::sum_between_edges(space, problem)
                      : cuda_impl::count_between_edges(space, problem);
  }
}

}  // namespace tandem
