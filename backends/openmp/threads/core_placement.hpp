// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::openmp_impl {

/// Keeps the threads of one parallel region on cores of their own.
///
/// A system may wake two threads of a team on one core while others are idle. There the one that
/// spins in the OpenMP runtime's barrier keeps the other from its part until its time slice ends, 4
/// to 12 ms at each join, and so again in the regions that follow, since neither sleeps. So each
/// thread tells where it runs, one that finds its core taken moves to one that nobody has told and
/// that it may use, and none enters the runtime's barrier before all have come. Threads that are
/// bound to a core, and those beyond the number of cores, stay where they are.
class core_placement {
 public:
  /// Begins the calling thread's part of the region.
  void enter() noexcept;
  /// Ends it: returns when `threads` threads have called it. Who waits gives its core to others.
  void leave(int threads) noexcept;

 private:
  static constexpr int most_cores = 1024;  // of the C library's sets
  static constexpr int word_bits = 64;

  bool take(int core) noexcept;
  void move_from(int core) noexcept;

  alignas(64) unsigned long long taken_[most_cores / word_bits] = {};
  alignas(64) int left_ = 0;
};

/// How a parallel region of some threads is run.
struct region_plan {
  int threads;     ///< of the runtime's team; those beyond what was asked for have no part
  bool is_placed;  ///< whether its threads may have slept since they had cores of their own
};

/// Plans the calling thread's next parallel region, of at least two threads.
region_plan plan_region(int threads) noexcept;

}  // namespace tandem::openmp_impl
