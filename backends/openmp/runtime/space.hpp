// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <tandem/backends/openmp/runtime/resource.hpp>
#include <tandem/core/contract/host/event.hpp>
#include <tandem/core/memory.hpp>

#include <string>
#include <vector>

namespace tandem {

/// What the host's processor is, as far as this process may use it.
struct cpu_description {
  std::string name;  ///< as the vendor calls it; empty where the system does not tell
  int threads = 0;   ///< hardware threads that this process may run on
  int cores = 0;     ///< physical cores behind them
  /// Vector instructions, in the order of their appearance: {"sse4.2", "avx2", "fma", "avx512f"}.
  std::vector<std::string> instruction_sets;
};

/// The cores of the host, through OpenMP. Work is done when its call returns, so a fence is free.
///
/// Results do not depend on the number of threads. Inside a parallel region of the caller's, work
/// stays on the calling thread, so that regions do not multiply. What a user's function throws
/// reaches the caller: the first exception, after the other threads have finished their parts.
class openmp {
 public:
  using memory_type = host_memory;
  using resource_type = openmp_resource;
  using event_type = host_event;
  static constexpr const char* name = "openmp";

  /// @param threads  how many threads work at most, more than there are cores if you like, though
  ///                 beyond 64 and 16 a core as many as that are taken; 0 for what OpenMP decides
  ///                 at each call (OMP_NUM_THREADS, omp_set_num_threads, the process's affinity)
  /// Errors: argument_error when negative.
  explicit openmp(int threads = 0);

  /// Threads that a call made now would use: no more than OMP_THREAD_LIMIT lets a region have.
  int threads() const {
    if (threads_ == 1 || omp_in_parallel()) return 1;
    const int wanted = threads_ > 0 ? threads_ : omp_get_max_threads();
    const int most = omp_get_thread_limit();
    return wanted < most ? wanted : most;
  }

  /// Nothing to wait for: each call returns when its work is done.
  void fence() const {}
  /// The present.
  host_event record() const;
  /// Nothing to wait for.
  void wait(const host_event&) const {}

  openmp_resource resource() const { return openmp_resource(threads_); }

  /// The processor, for listings.
  static cpu_description cpu_info();

 private:
  int threads_;
};

}  // namespace tandem
