// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/random/kernels.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// Launches the kernel for all counters of a rank-1 view, `Counters` per thread.
template <int Counters, class Sampler>
void launch_random(const cuda& space, const random_problem<Sampler>& line) {
  constexpr index_t elements =
      index_t{random_tuning.block} * Counters * random_problem<Sampler>::block;
  launch(space,
         {.grid = dim3(static_cast<unsigned>(ceil_div(line.size, elements))),
          .block = dim3(random_tuning.block),
          .label = "fill_random",
          .programmatic_launch = true},
         fill_random_kernel<Counters, Sampler>, line, line.is_aligned());
}

}  // namespace cuda_impl

/// Fills a rank-1 view with random numbers. The generic loops handle samplers that may reject a
/// word, because rejection branches, and samplers with tables.
template <class Sampler>
  requires(!detail::rejecting<Sampler> && sizeof(Sampler) <= 32)
void dispatch_random(const cuda& space, const random_problem<Sampler>& line) {
  using namespace cuda_impl;
  const index_t counters = ceil_div(line.size, index_t{random_problem<Sampler>::block});
  if (counters_per_thread(counters, limits(space).multiprocessors) > 1) {
    launch_random<random_tuning.counters>(space, line);
  } else {
    launch_random<1>(space, line);
  }
}

}  // namespace tandem
