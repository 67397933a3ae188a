// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/openmp.hpp>

#include <sched.h>

#include <tandem/core/errors.hpp>
#include <tandem/core/host_clock.hpp>

namespace tandem {

openmp::openmp(int threads) : threads_(threads) {
  if (threads < 0) throw argument_error("openmp: threads (" + detail::text(threads) + ") < 0");
}

host_event openmp::record() const { return detail::present(); }

namespace openmp_impl {

void relax(int round) {
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
