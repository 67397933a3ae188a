// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::openmp_impl {

/// Keeps the threads of one parallel region on cores of their own.
///
/// A system may wake two threads of a team on one core while others are idle. The thread that spins
/// in the OpenMP runtime's barrier then keeps the other from its part until its time slice ends,
/// milliseconds at each join, and again in the regions that follow, since neither sleeps. So each
/// thread registers the core on which it runs; a thread that finds its core taken moves to a free
/// one among those that it may use; and none enters the runtime's barrier before all have arrived.
/// Threads that are bound to a core, and those beyond the number of cores, stay where they are.
class core_placement {
 public:
  /// Begins the calling thread's part of the region.
  void enter() noexcept;
  /// Ends it: returns when `threads` threads have called it. A waiting thread yields its core.
  void leave(int threads) noexcept;

 private:
  static constexpr int most_cores = 1024;  // of the C library's sets
  static constexpr int word_bits = 64;

  bool take(int core) noexcept;
  void move_from(int core) noexcept;

  alignas(64) unsigned long long taken_[most_cores / word_bits] = {};
  alignas(64) int left_ = 0;
};

/// The calling thread's time in a region, however its part ends; nothing where `placement` is null.
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

/// What a process's surroundings say of the placement of its threads.
struct placement_environment {
  bool is_off;         ///< TANDEM_PLACEMENT=off
  bool binds_threads;  ///< the environment tells the OpenMP runtime where its threads run
  bool is_confined;    ///< the process may not use all processors that are online
};

/// Reads the environment, and the affinity mask of the process's first thread.
placement_environment read_placement_environment();

/// Whether threads may be moved by sched_setaffinity: not where the user has decided otherwise.
constexpr bool allows_placement(const placement_environment& environment) {
  return !environment.is_off && !environment.binds_threads && !environment.is_confined;
}

/// Whether regions of this process are placed: as its environment says at their first one.
bool is_placement_allowed() noexcept;

/// How a parallel region is run.
struct region_plan {
  /// Size of the runtime's team; threads beyond what was asked for have no part.
  int threads;
  /// Whether core_placement runs, because the threads may have slept since the last region.
  bool is_placed;
};

/// Plans the calling thread's next parallel region, of at least two threads.
region_plan plan_region(int threads) noexcept;

}  // namespace tandem::openmp_impl
