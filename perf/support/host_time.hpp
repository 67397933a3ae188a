// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

/// The host's clock, as the runners read it.
namespace perf {

using host_time = std::chrono::steady_clock::time_point;

inline host_time now() { return std::chrono::steady_clock::now(); }

inline double seconds_since(host_time start) {
  return std::chrono::duration<double>(now() - start).count();
}

}  // namespace perf
