// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

#include <functional>

/// Device time of runs that are shorter than their launches: the stream is held until the host has
/// filled it.
namespace perf {

/// Cycles for which the stream is held per enqueued run, longer than the launch of any candidate.
inline constexpr long long held_cycles = 20'000;

/// Runs per batch from which on they may be shorter than their launches.
inline constexpr int held_rounds = 3;

static __global__ void hold_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

/// Blocks the stream while the host enqueues `rounds` runs.
inline void hold(const cuda& space, int rounds) {
  hold_kernel<<<1, 1, 0, space.native_stream()>>>(held_cycles * (rounds + 1));
  check_cuda(cudaGetLastError(), "hold_kernel");
}

/// Makes a candidate without a check. `enqueue(round)` starts one run on `space`; short runs are
/// timed without the host's launches.
template <class Enqueue>
candidate queued(const std::shared_ptr<cuda>& space, const Enqueue& enqueue) {
  candidate made;
  made.run = [=](std::int64_t round) {
    enqueue(round);
    space->fence();
  };
  made.device_seconds = [=](std::int64_t first, int rounds) {
    if (rounds >= held_rounds) hold(*space, rounds);
    const auto start = space->record();
    for (int r = 0; r < rounds; ++r) enqueue(first + r);
    const auto stop = space->record();
    return elapsed_ms(start, stop) * 1e-3;
  };
  return made;
}

/// Rough estimate of the seconds of one run, precise enough to choose between algorithms.
inline double quick_time(const cuda& space, const std::function<void()>& run) {
  const auto time = [&](int rounds) {
    if (rounds >= held_rounds) hold(space, rounds);
    const auto start = space.record();
    for (int r = 0; r < rounds; ++r) run();
    const auto stop = space.record();
    return elapsed_ms(start, stop) * 1e-3 / rounds;
  };
  const double once = time(1);
  return once > 1e-3 ? once : time(10);
}

}  // namespace perf
