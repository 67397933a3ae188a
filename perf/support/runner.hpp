// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/checking.hpp>

#include <benchmark/benchmark.h>

#include <csignal>
#include <string>
#include <vector>

namespace perf {

/// Checks and measures benchmarks through Google Benchmark, with one candidate's data alive at a
/// time.
class runner {
 public:
  explicit runner(const settings& chosen);

  /// Registers every benchmark with Google Benchmark.
  void register_benchmarks();
  /// Frees the last candidate's data while the device runtimes are still loaded.
  void release();
  /// Makes the remaining benchmarks end at once, as failed with "interrupted". May be called by a
  /// signal's handler.
  static void stop() noexcept;

 private:
  /// The current candidate and the outcome of its check.
  struct active {
    const benchmark* of = nullptr;
    candidate made;
    std::string failure;
    std::string label;
    int rounds = 1;  ///< runs between two readings of the device's clock
  };

  void measure(::benchmark::State& state, const benchmark& current);
  void activate(const benchmark& current);
  void warm_up(const benchmark& current, double seconds_so_far);

  static inline volatile std::sig_atomic_t stopped_ = 0;
  settings chosen_;
  std::vector<benchmark> benchmarks_;
  known_references references_;
  active active_;
};

}  // namespace perf
