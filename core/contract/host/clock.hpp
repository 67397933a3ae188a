// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

#include <tandem/core/contract/host/event.hpp>

namespace tandem::detail {

/// Returns the current time as an event. For backends' .cpp files: <chrono> would add 0.15 s to the
/// compile time of every user of a header.
inline host_event present() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return host_event(std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count());
}

}  // namespace tandem::detail
