// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/histogram/launch.cuh>

#include <cuda_runtime_api.h>

namespace tandem {

namespace cuda_impl {

namespace {

/// Bytes of shared memory that the kernels declare themselves, rounded up generously.
constexpr std::size_t static_shared_bytes = 256;

}  // namespace

void clear_memory(const cuda& space, void* pointer, std::size_t bytes) {
  set_bytes(space, pointer, 0, bytes);
}

histogram_plan plan_histogram(const cuda& space, const histogram_problem& problem,
                              histogram_request request) {
  const device_limits& device = limits(space);
  request.bins = problem.bins;
  request.size = problem.size;
  request.multiprocessors = device.multiprocessors;
  request.block_shared = device.block_shared - static_shared_bytes;
  return plan_histogram(request);
}

}  // namespace cuda_impl

void dispatch_histogram(const cuda& space, const histogram_problem& problem) {
  const bool weighted = problem.weights != nullptr || problem.sums != nullptr;
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
