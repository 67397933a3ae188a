// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

#include <tandem/core/contract/host/event.hpp>

namespace tandem::detail {

/// The present as an event. For the .cpp files of backends: <chrono> would cost every user of a
/// header 0.15 s.
inline host_event present() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return host_event(std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count());
}

}  // namespace tandem::detail
