// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/core/contract/host/team_scratch.hpp>
#include <tandem/core/team.hpp>

namespace tandem {

namespace openmp_impl {

/// The body of a loop over teams. A thread runs them one after another, on the same scratch memory,
/// which stays in its core's cache.
template <class Kernel>
struct team_loop {
  Kernel kernel;
  const detail::team_scratch& scratch;
  bool is_shared;  ///< by several threads, each of which knows its number

  void operator()(index_t begin, index_t end) const {
    const Kernel local = kernel;
    const int thread = is_shared ? omp_get_thread_num() : 0;
    for (index_t index = begin; index < end; ++index) {
      team one = scratch.make(index, thread);
      local(one);
    }
  }
};

}  // namespace openmp_impl

/// Runs kernel(team&) for each team. Each thread begins with contiguous teams.
template <class Kernel>
void dispatch_teams(const openmp& space, const char* label, const team_shape& shape,
                    const Kernel& kernel) {
  const int threads = space.threads();
  const detail::team_scratch scratch(label, shape, threads);
  const bool is_adaptive = shape.teams < openmp_impl::adaptive_indices;
  openmp_impl::run_loop(space, shape.teams, is_adaptive,
                        openmp_impl::team_loop<Kernel>{kernel, scratch, threads > 1});
}

}  // namespace tandem
