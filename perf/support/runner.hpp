// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/checking.hpp>
#include <perf/support/result_file.hpp>

#include <csignal>
#include <string>
#include <vector>

namespace perf {

/// Checks and measures benchmarks. In turns, all candidates of a problem are alive together and
/// take turns, so that a ratio of two times compares one state of the machine; otherwise one
/// candidate is alive at a time, which small machines have memory for.
class runner {
 public:
  runner(const settings& chosen, bool in_turns) : chosen_(chosen), in_turns_(in_turns) {}

  /// Measures the benchmarks and writes each problem to `out` as soon as it is done. Returns the
  /// number of candidates that failed or whose bits differ from those they promised.
  int run(const std::vector<benchmark>& benchmarks, result_file& out);

  /// Makes run() return after the problem that it is measuring. A signal handler may call it.
  static void stop() noexcept { stopped_ = 1; }

 private:
  /// A candidate of the current problem and its measurements.
  struct measured {
    const benchmark* of = nullptr;
    candidate made = {};
    std::string label = {};
    std::string failure = {};
    int rounds = 1;
    std::int64_t next = 0;
    std::vector<double> seconds = {};

    double median() const;
    bool differs() const;
    /// Calls step() unless the candidate has failed; records what it throws.
    template <class Step>
    void attempt(const Step& step);
  };

  void measure(std::vector<measured>& group);
  void prepare(measured& one);
  void warm_up(measured& one);
  void take_turns(std::vector<measured>& group);
  void take_turn(measured& one);
  void make_room(measured& one);
  bool has_enough(const measured& one) const;
  void report(const std::vector<measured>& group, result_file& out);

  static inline volatile std::sig_atomic_t stopped_ = 0;
  settings chosen_;
  bool in_turns_;
  known_references references_;
  bool is_cold_ = true;       ///< no candidate has run yet
  std::string busy_threads_;  ///< the library whose threads the last turn left spinning
  std::string heading_;       ///< the problem printed last
};

}  // namespace perf
