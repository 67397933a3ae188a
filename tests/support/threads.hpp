// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <tandem/core/extents.hpp>

namespace tandem::test {

/// Returns the ids of the threads that this process has now, including those of idle teams.
inline std::set<std::string> thread_ids() {
  const auto read = [] {
    std::set<std::string> ids;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      ids.insert(thread.path().filename());
    return ids;
  };
  // Linux ends the listing early when it meets a thread that is ending: the next listing differs.
  std::set<std::string> ids = read();
  for (std::set<std::string> again = read(); again != ids; again = read()) ids = std::move(again);
  return ids;
}

inline index_t count_threads() { return static_cast<index_t>(thread_ids().size()); }

}  // namespace tandem::test
