// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/threads/core_placement.hpp>

#include <sched.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tandem/backends/openmp/cpu/stopwatch.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/core/contract/environment.hpp>

namespace tandem::openmp_impl {
namespace {

/// The regions that the calling thread has run. Per thread, since each has its own team.
struct region_history {
  int threads = 0;         ///< size of the last one's team
  int smaller = 0;         ///< regions since then that requested fewer
  std::int64_t start = 0;  ///< when the last one began, by the stopwatch
};
thread_local region_history history;

/// No thread has gone to sleep within this time after the last region began: the runtime's threads
/// spin for longer.
constexpr double seconds_awake = 1e-3;

}  // namespace

placement_environment read_placement_environment() {
  bool binds_threads = false;
  for (const char* const variable :
       {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    binds_threads = binds_threads || std::getenv(variable) != nullptr;
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0;
  return {detail::flag_in_environment("TANDEM_PLACEMENT"), binds_threads,
          !is_known || CPU_COUNT(&allowed) < sysconf(_SC_NPROCESSORS_ONLN)};
}

bool is_placement_allowed() noexcept {
  static const bool is_allowed = allows_placement(read_placement_environment());
  return is_allowed;
}

region_plan plan_region(int threads) noexcept {
  region_history& last = history;
  const std::int64_t now = stopwatch::now();
  const auto since = static_cast<double>(now - last.start) * stopwatch::seconds_per_tick;
  const bool is_placed = !(since < seconds_awake) && is_placement_allowed();
  last.start = now;
  if (threads < last.threads && last.smaller < most_smaller_regions) {
    ++last.smaller;
    return {last.threads, is_placed};
  }
  last.threads = threads;
  last.smaller = 0;
  return {threads, is_placed};
}

void core_placement::enter() noexcept {
  const int core = sched_getcpu();
  if (core >= 0 && core < most_cores && !take(core)) move_from(core);
}

void core_placement::leave(int threads) noexcept {
  __atomic_fetch_add(&left_, 1, __ATOMIC_RELAXED);
  for (int round = 0; __atomic_load_n(&left_, __ATOMIC_RELAXED) < threads; ++round) relax(round);
}

/// Takes a core; returns whether it was free.
bool core_placement::take(int core) noexcept {
  const unsigned long long bit = 1ULL << (core % word_bits);
  return (__atomic_fetch_or(&taken_[core / word_bits], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/// Moves the calling thread to the next core that is allowed and free. Restores its affinity mask.
void core_placement::move_from(int core) noexcept {
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
