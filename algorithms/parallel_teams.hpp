// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/default_space.hpp>

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
///          limit, when the device cannot run such a team
/// Asynchronous on `space`.
template <execution_space Space, class Kernel>
void parallel_teams(const Space& space, const team_shape& shape, const Kernel& kernel) {
  static_assert(runs_loops<Space>,
                "tandem: teams of this backend need its compiler (nvcc for tandem::cuda)");
  static_assert(detail::check_kernel<Kernel>());
  static_assert(std::is_invocable_v<const Kernel&, team&>,
                "tandem: parallel_teams: a kernel takes a team& and has a const call operator (a "
                "lambda that is not mutable)");
  if (shape.teams < 0)
    detail::fail_extents("parallel_teams", "teams", shape.teams, "<", "fewest", 0);
  if (shape.lanes < 1)
    detail::fail_extents("parallel_teams", "lanes", shape.lanes, "<", "fewest", 1);
  if (shape.teams > 0) dispatch_teams(space, "parallel_teams", shape, kernel);
}

/// Calls parallel_teams(space, shape, kernel) on the default space.
template <class Kernel>
void parallel_teams(const team_shape& shape, const Kernel& kernel) {
  parallel_teams(default_instance<default_space>(), shape, kernel);
}

}  // namespace tandem
