// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/host/team_scratch.hpp>
#include <tandem/core/team.hpp>

namespace tandem {

class serial;

/// Runs kernel(team&) for each team, one after another, on the same scratch.
template <class Kernel>
void dispatch_teams(const serial&, const char* label, const team_shape& shape,
                    const Kernel& kernel) {
  const detail::team_scratch scratch(label, shape, 1);
  for (index_t index = 0; index < shape.teams; ++index) {
    team one = scratch.make(index, 0);
    kernel(one);
  }
}

}  // namespace tandem
