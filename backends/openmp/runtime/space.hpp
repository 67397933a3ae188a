// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <tandem/backends/openmp/runtime/resource.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/hooks.hpp>
#include <tandem/core/contract/host/event.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/space.hpp>

#include <string>
#include <vector>

namespace tandem {

/// Describes the host's processor, as far as this process may use it.
struct cpu_description {
  std::string name;  ///< as the vendor calls it; empty if the system does not report it
  int threads = 0;   ///< hardware threads that this process may run on
  int cores = 0;     ///< physical cores that these threads belong to
  /// Vector instructions, oldest first: {"sse4.2", "avx2", "fma", "avx512f"}.
  std::vector<std::string> instruction_sets;
};

/// The cores of the host, through OpenMP. Each call returns when its work is done, so a fence costs
/// nothing.
///
/// Results do not depend on the number of threads. Inside a parallel region of the caller, work
/// stays on the calling thread, so regions do not nest. An exception that a user's function throws
/// reaches the caller: the first one, after the other threads have finished their parts.
///
/// In a child of fork(), work stays on the thread that forked if the parent had other threads,
/// since fork() copies none of them. Threads that the child starts have their own teams.
///
/// If the system cannot start the threads of a team, g++'s runtime ends the process, and nothing
/// can catch that. OMP_THREAD_LIMIT or an explicit number of threads keeps within what the system
/// allows (`ulimit -u`, the memory of their stacks, a container's limit of processes).
///
/// Threads run on the cores that the system or the OpenMP runtime chooses. OMP_PROC_BIND=true keeps
/// two threads of a team from sharing a core. With TANDEM_PLACEMENT=on the backend does so instead:
/// after a pause, it moves a thread that was woken on a taken core to a free one by
/// sched_setaffinity and restores its mask at once. It never does so if OMP_PROC_BIND, OMP_PLACES,
/// GOMP_CPU_AFFINITY or KMP_AFFINITY is set, or if the process started with an affinity mask
/// narrower than the machine.
class openmp {
 public:
  using memory_type = host_memory;
  using resource_type = openmp_resource;
  using event_type = host_event;
  static constexpr const char* name = "openmp";
  static constexpr hook_set hooks{hook::transform,
                                  hook::scan,
                                  hook::scan_part,
                                  hook::reduce_axis,
                                  hook::segmented_reduce,
                                  hook::segmented_scan,
                                  hook::histogram,
                                  hook::matmul,
                                  hook::matmul_16bit,
                                  hook::matmul_int8,
                                  hook::sort,
                                  hook::select,
                                  hook::random};

  /// @param threads  the most threads that work, which may exceed the number of cores, up to 64 or
  ///                 16 per core, whichever is more; 0 for what OpenMP decides at each call
  ///                 (OMP_NUM_THREADS, omp_set_num_threads, the process's affinity)
  /// Errors: argument_error when negative; agreement_error.
  explicit openmp(int threads = 0);

  /// A space of at most `threads` threads: openmp(threads), named. Errors: argument_error when it
  /// is less than 1; agreement_error.
  static openmp with_threads(int threads);

  /// Returns the number of threads that a call would use now, at most OMP_THREAD_LIMIT.
  int threads() const {
    if (threads_ == 1 || omp_in_parallel()) return 1;
    if (openmp_impl::is_forked_process && openmp_impl::has_lost_team()) return 1;
    const int wanted = threads_ > 0 ? threads_ : omp_get_max_threads();
    const int most = omp_get_thread_limit();
    return wanted < most ? wanted : most;
  }

  /// Returns at once: each call returns when its work is done.
  void fence() const {}
  /// Marks the work so far, which is already done.
  host_event record() const;
  /// Returns at once: the work before the event is done.
  void wait(const host_event&) const {}

  /// This space with a label for the operations called on it:
  ///
  ///   tandem::parallel_for(space.named("advect"), n, f);
  ///
  /// Profilers, traces, comparisons and reports of checked kernels call the operations by the
  /// label, and errors begin with "label (operation): ". Pass a string literal, or a string that
  /// outlives the space and what profilers record.
  openmp named(const char* label) const {
    openmp space = *this;
    space.label_ = label;
    return space;
  }
  /// The label, or null.
  const char* label() const { return label_; }

  openmp_resource resource() const { return openmp_resource(threads_); }

  /// Describes the processor, for listings.
  static cpu_description cpu_info();
  /// The processor, for any_space::processors().
  static std::vector<processor> processors();

 private:
  int threads_;
  const char* label_ = nullptr;
};

}  // namespace tandem
