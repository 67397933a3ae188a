// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/team.hpp>

#include <cstddef>
#include <limits>

namespace tandem::detail {

/// The memory of teams that run on the host: for each thread a team's scratch, followed by the
/// values that its lanes keep. It is allocated as a whole before the first team runs, so that no
/// team has written anything if there is too little; the threads that use its pages touch them
/// first.
class team_scratch {
 public:
  /// Errors: out_of_memory_error naming `where`.
  team_scratch(const char* where, const team_shape& shape, int threads)
      : shape_(shape), lines_(lines_of(shape, threads)), memory_(where, lines_ * threads) {}

  /// Makes team number `index` in the memory of thread number `thread`.
  team make(index_t index, int thread) const {
    return team(index, shape_, memory_.data() + thread * lines_);
  }

 private:
  struct alignas(host::kept_alignment) line {
    unsigned char bytes[host::kept_alignment];
  };

  /// Returns the cache lines per thread, limited to a number that no system has.
  static index_t lines_of(const team_shape& shape, int threads) {
    const std::size_t kept = host::kept_lane_bytes * static_cast<std::size_t>(shape.lanes);
    const auto most = static_cast<std::size_t>(std::numeric_limits<index_t>::max() / threads);
    const std::size_t lines = shape.scratch_bytes / sizeof(line) + kept / sizeof(line) + 1;
    return static_cast<index_t>(lines < most ? lines : most);
  }

  const team_shape shape_;
  index_t lines_;
  host_scratch<line> memory_;
};

}  // namespace tandem::detail
