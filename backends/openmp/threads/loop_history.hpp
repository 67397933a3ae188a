// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <limits>

namespace tandem::openmp_impl {

/// What earlier loops over a type of body cost: advice on whether the next one forks and whether
/// its threads steal work. No result depends on it.
///
/// Two words per type of body, so the compiled program bounds them: no call adds any. They belong
/// to the type because spaces are short-lived values and a loop's cost is a property of its body.
/// All threads of the process share them; reads and writes are atomic and relaxed, so a race costs
/// one bad guess. Not a std::atomic, whose header would lengthen the compilation of every user's
/// file.
template <class Body>
class loop_history {
 public:
  /// The fewest indices for which a fork lately paid off: such a loop forks without a serial
  /// prefix, which would take longer than the fork.
  static index_t fork_threshold() { return __atomic_load_n(&last_threshold, __ATOMIC_RELAXED); }
  static void set_fork_threshold(index_t n) {
    __atomic_store_n(&last_threshold, n, __ATOMIC_RELAXED);
  }
  static void forget_fork_threshold() { set_fork_threshold(unknown); }

  /// Seconds per index that the last parallel loop took, fork included.
  static double seconds_per_index() {
    double seconds = 0;
    __atomic_load(&last_seconds, &seconds, __ATOMIC_RELAXED);
    return seconds;
  }
  static void set_seconds_per_index(double seconds) {
    __atomic_store(&last_seconds, &seconds, __ATOMIC_RELAXED);
  }

  /// Forgets both, so that a test can begin like a new process.
  static void forget() {
    forget_fork_threshold();
    set_seconds_per_index(std::numeric_limits<double>::infinity());
  }

 private:
  static constexpr index_t unknown = std::numeric_limits<index_t>::max();

  static inline index_t last_threshold = unknown;
  static inline double last_seconds = std::numeric_limits<double>::infinity();
};

}  // namespace tandem::openmp_impl
