// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/team.hpp>

namespace tandem {

namespace openmp_impl {

/// Runs the teams begin to end - 1 one after the other, on one scratch memory that stays in the
/// core's cache.
template <class Kernel>
void run_teams(const Kernel kernel, const team_shape& shape, index_t begin, index_t end) {
  struct alignas(16) chunk {
    unsigned char bytes[16];
  };
  const scratch<chunk> memory(static_cast<index_t>(shape.scratch_bytes / sizeof(chunk) + 1));
  for (index_t index = begin; index < end; ++index) {
    team one(index, shape, memory.data());
    kernel(one);
  }
}

}  // namespace openmp_impl

/// Runs kernel(team&) for each team. Each thread has contiguous teams.
template <class Kernel>
void dispatch_teams(const openmp& space, const char*, const team_shape& shape,
                    const Kernel& kernel) {
  const bool is_adaptive = shape.teams < openmp_impl::adaptive_indices;
  openmp_impl::run_loop(space, shape.teams, is_adaptive, [&](index_t begin, index_t end) {
    openmp_impl::run_teams(kernel, shape, begin, end);
  });
}

}  // namespace tandem
