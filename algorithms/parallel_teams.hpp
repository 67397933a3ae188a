// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/detail/profiling.hpp>
#include <tandem/default_space.hpp>
#if TANDEM_CHECKED > 1
#include <tandem/algorithms/detail/checked.hpp>
#endif

namespace tandem {

/// Runs kernel(team&) for each of shape.teams teams of shape.lanes lanes on shape.scratch_bytes
/// bytes of shared scratch.
///
/// kernel   a lambda TANDEM_LAMBDA(tandem::team& t) or a function object; see team for its phases
/// lanes    1 to 1024 on a GPU, where a team is a block; any positive number on a CPU, where it is
///          a task
/// scratch  dynamic shared memory on a GPU: at most what a block may have
///          (cuda_device::block_shared)
/// Errors   extent_error for a negative number of teams, no lanes; argument_error, naming the
///          limit, when the device cannot run such a team; out_of_memory_error for scratch on a
///          CPU, before any team has run
/// Asynchronous on `space`.
template <execution_space Space, class Kernel>
void parallel_teams(const Space& space, const team_shape& shape, const Kernel& kernel) {
  static_assert(runs_loops<Space>,
                "tandem: teams of this backend need this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(detail::check_kernel<Kernel, Space>());
  static_assert(std::is_invocable_v<const Kernel&, team&>,
                "tandem: parallel_teams: a kernel takes a team& and has a const call operator (a "
                "lambda that is not mutable)");
  if (shape.teams < 0)
    detail::fail_extents("parallel_teams", "teams", shape.teams, "<", "fewest", 0);
  if (shape.lanes < 1)
    detail::fail_extents("parallel_teams", "lanes", shape.lanes, "<", "fewest", 1);
  if (shape.lanes > block_threads) {
    throw argument_error("parallel_teams: lanes (" + detail::text(shape.lanes) + ") > " +
                         detail::text(block_threads) + ", the threads of a device's block");
  }
  if (shape.teams == 0) return;
  const detail::profiled region(space, "parallel_teams", detail::profile_kind::loop,
                                {shape.teams, shape.lanes});
  try {
#if TANDEM_CHECKED > 1
    if constexpr (Space::memory_type::host_accessible)
      return detail::run_checked_teams("parallel_teams", shape, kernel);
    else
#endif
      dispatch_teams(space, "parallel_teams", shape, kernel);
  } catch (const out_of_memory_error& e) {
    detail::fail_memory("parallel_teams", e);
  }
}

/// Calls parallel_teams(space, shape, kernel) on the default space.
template <class Kernel>
void parallel_teams(const team_shape& shape, const Kernel& kernel) {
  parallel_teams(default_instance<default_space>(), shape, kernel);
}

}  // namespace tandem
