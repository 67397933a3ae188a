// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

#include <tandem/core/extents.hpp>

namespace tandem::test {

/// Threads that this process has at the moment, those of idle teams among them.
inline index_t count_threads() {
  index_t count = 0;
  for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

}  // namespace tandem::test
