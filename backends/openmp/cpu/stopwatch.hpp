// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <cstdint>

namespace tandem::openmp_impl {

/// Roughly measures the time since its construction. It reads the time stamp counter, since a loop
/// of a few indices takes less time than reading the system's clock.
class stopwatch {
 public:
  double seconds() const { return static_cast<double>(now() - start_) * seconds_per_tick; }

#if defined(__x86_64__)
  // Time stamp counters run at 1.5 to 4.5 GHz: 2.5 is accurate enough to compare a loop with a
  // fork.
  static constexpr double seconds_per_tick = 1 / 2.5e9;
  static std::int64_t now() { return static_cast<std::int64_t>(__builtin_ia32_rdtsc()); }
#else
  static constexpr double seconds_per_tick = 1e-9;
  static std::int64_t now() { return static_cast<std::int64_t>(omp_get_wtime() * 1e9); }
#endif

 private:
  std::int64_t start_ = now();
};

}  // namespace tandem::openmp_impl
