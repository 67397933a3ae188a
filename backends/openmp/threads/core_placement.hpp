// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::openmp_impl {

/// Keeps the threads of one parallel region on different cores, if TANDEM_PLACEMENT=on asks for it.
///
/// A system may wake two threads of a team on one core while others are idle. The thread that spins
/// in the OpenMP runtime's barrier then keeps the other from its part until its time slice ends,
/// which is milliseconds at each join, and again in the following regions, since neither sleeps. So
/// each thread registers the core on which it runs. A thread that finds its core taken moves to a
/// free one that its affinity mask allows, and no thread enters the runtime's barrier before all
/// have arrived. Threads that are bound to a core, and those beyond the number of cores, stay.
class core_placement {
 public:
  /// Begins the calling thread's part of the region.
  void enter() noexcept;
  /// Ends it: returns once `threads` threads have called it. A waiting thread yields its core.
  void leave(int threads) noexcept;

 private:
  static constexpr int most_cores = 1024;  // of the C library's sets
  static constexpr int word_bits = 64;

  bool take(int core) noexcept;
  void move_from(int core) noexcept;

  alignas(64) unsigned long long taken_[most_cores / word_bits] = {};
  alignas(64) int left_ = 0;
};

/// Enters a region and leaves it at the end of the scope, also by an exception; does nothing if
/// `placement` is null.
class region_guard {
 public:
  region_guard(core_placement* placement, int threads) : placement_(placement), threads_(threads) {
    if (placement_ != nullptr) placement_->enter();
  }
  ~region_guard() {
    if (placement_ != nullptr) placement_->leave(threads_);
  }
  region_guard(const region_guard&) = delete;
  region_guard& operator=(const region_guard&) = delete;

 private:
  core_placement* placement_;
  int threads_;
};

/// What a process's environment says about the placement of its threads.
struct placement_environment {
  bool is_on;          ///< TANDEM_PLACEMENT=on
  bool binds_threads;  ///< the environment tells the OpenMP runtime where its threads run
  bool is_confined;    ///< the process may not use all processors that are online
};

/// Reads the environment, and the affinity mask of the process's first thread.
placement_environment read_placement_environment();

/// Whether threads may be moved by sched_setaffinity: only if the user asks for it and has not
/// bound them otherwise.
constexpr bool allows_placement(const placement_environment& environment) {
  return environment.is_on && !environment.binds_threads && !environment.is_confined;
}

/// Whether regions of this process are placed. The environment is read at the first region.
bool is_placement_allowed() noexcept;

/// How a parallel region is run.
struct region_plan {
  /// Size of the runtime's team; threads beyond the requested number have no part.
  int threads;
  /// Whether core_placement runs, because the threads may have slept since the last region.
  bool is_placed;
};

/// Plans the calling thread's next parallel region, of at least two threads.
region_plan plan_region(int threads) noexcept;

}  // namespace tandem::openmp_impl
