// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>

#include <sched.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <tandem/core/contract/host/clock.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/tools/agreement/agreement.hpp>

namespace tandem {

namespace {

/// Limits the requested number of threads to what a system can be expected to start: OpenMP ends
/// the process if it cannot start a thread.
int bounded(int threads) {
  constexpr int always_possible = 64;
  constexpr int max_per_core = 16;
  if (threads <= always_possible) return threads;
  const int most = max_per_core * omp_get_num_procs();
  if (most <= always_possible) return always_possible;
  return threads < most ? threads : most;
}

}  // namespace

openmp::openmp(int threads) : threads_(bounded(threads)) {
  if (threads < 0) throw argument_error("openmp: threads (" + detail::text(threads) + ") < 0");
  detail::require_agreement();
}

openmp openmp::with_threads(int threads) {
  if (threads < 1) {
    throw argument_error("openmp::with_threads: threads (" + detail::text(threads) +
                         ") < 1; openmp() leaves the number to OpenMP");
  }
  return openmp(threads);
}

host_event openmp::record() const { return detail::present(); }

namespace openmp_impl {

bool waits_passively() noexcept {
  static const bool is_passive = [] {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && strcasecmp(policy, "passive") == 0;
  }();
  return is_passive;
}

void relax(int round) {
  if (round >= passive_spins && waits_passively()) {
    const long times = std::min(round - passive_spins + 1, passive_most_sleeps);
    const timespec while_asleep{0, times * passive_sleep_nanoseconds};
    nanosleep(&while_asleep, nullptr);
    return;
  }
  if (round % spins_before_yield == spins_before_yield - 1) {
    sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace openmp_impl
}  // namespace tandem
