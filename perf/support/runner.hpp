// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/checking.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace perf {

/// Checks and measures entries through Google Benchmark. One contender's data is alive at a time.
class runner {
 public:
  explicit runner(const settings& chosen);

  /// Makes every entry known to Google Benchmark.
  void register_entries();
  /// Frees the last contender's data, while the devices' runtimes are still up.
  void release();

 private:
  /// The contender in hand and how its check went.
  struct active {
    const entry* of = nullptr;
    contender made;
    std::string failure;
    std::string label;
    int rounds = 1;  ///< runs between two readings of the device's clock
  };

  void measure(benchmark::State& state, const entry& line);
  void activate(const entry& line);
  void warm_up(const entry& line, double seconds_so_far);

  settings chosen_;
  std::vector<entry> entries_;
  known_references references_;
  active active_;
};

}  // namespace perf
