// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/team.hpp>

#include <vector>

namespace tandem {

class serial;

/// Runs kernel(team&) for each team, one after the other, on one scratch.
template <class Kernel>
void dispatch_teams(const serial&, const char*, const team_shape& shape, const Kernel& kernel) {
  struct alignas(16) chunk {
    unsigned char bytes[16];
  };
  std::vector<chunk> scratch(shape.scratch_bytes / sizeof(chunk) + 1);
  for (index_t index = 0; index < shape.teams; ++index) {
    team one(index, shape, scratch.data());
    kernel(one);
  }
}

}  // namespace tandem
