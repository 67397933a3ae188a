// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/spread.hpp>

#include <sched.h>
#include <time.h>

#include <cstddef>

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/policy.hpp>

namespace tandem::openmp_impl {
namespace {

/// What a thread knows of the regions that it has forked.
struct fork_history {
  int threads = 0;  ///< of the last one's team
  int smaller = 0;  ///< regions since then that asked for less
  long tick = 0;    ///< when the last one began
};
thread_local fork_history history;

/// A number that changes every 1 to 10 ms. Looking at it takes 5 ns; the runtime's threads spin for
/// longer than it stands still before they sleep.
long clock_tick() noexcept {
#if defined(CLOCK_MONOTONIC_COARSE)
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

region_plan plan_region(int threads) noexcept {
  fork_history& last = history;
  const long tick = clock_tick();
  const bool is_spread = tick != last.tick;
  last.tick = tick;
  if (threads < last.threads && last.smaller < most_smaller_regions) {
    ++last.smaller;
    return {last.threads, is_spread};
  }
  last.threads = threads;
  last.smaller = 0;
  return {threads, is_spread};
}

void core_spread::enter() noexcept {
  const int core = sched_getcpu();
  if (core >= 0 && core < most_cores && !take(core)) move_from(core);
}

void core_spread::leave(int threads) noexcept {
  __atomic_fetch_add(&left_, 1, __ATOMIC_RELAXED);
  for (int round = 0; __atomic_load_n(&left_, __ATOMIC_RELAXED) < threads; ++round) relax(round);
}

/// Whether the core was not taken yet.
bool core_spread::take(int core) noexcept {
  const unsigned long long bit = 1ULL << (core % word_bits);
  return (__atomic_fetch_or(&taken_[core / word_bits], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/// Moves to the next core that is allowed and not taken. What the thread may use is as before then:
/// it only is elsewhere.
void core_spread::move_from(int core) noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int step = 1; step < most_cores; ++step) {
    const int other = (core + step) % most_cores;
    if (!CPU_ISSET(static_cast<std::size_t>(other), &allowed) || !take(other)) continue;
    cpu_set_t alone;
    CPU_ZERO(&alone);
    CPU_SET(static_cast<std::size_t>(other), &alone);
    if (sched_setaffinity(0, sizeof alone, &alone) == 0)
      sched_setaffinity(0, sizeof allowed, &allowed);
    return;
  }
}

}  // namespace tandem::openmp_impl
