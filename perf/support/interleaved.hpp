// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/checking.hpp>

#include <functional>
#include <string>
#include <vector>

namespace perf {

class result_file;

/// Measures the candidates of one problem in turn, all of them alive together, so that a ratio of
/// two times compares one state of the machine. Measures the tables of targets.
class interleaved_runner {
 public:
  /// Takes those of the program's benchmarks that the file `wanted` names, one key per line:
  /// "reduce/sum/f32/1048576/cuda/cub/resident".
  /// Errors: std::runtime_error when the file cannot be read.
  interleaved_runner(const settings& chosen, const std::string& wanted);
  /// Takes those of the program's benchmarks whose key is wanted.
  interleaved_runner(const settings& chosen,
                     const std::function<bool(const std::string& key)>& wanted);

  /// Measures everything and writes it to `out` as Google Benchmark would. Returns the number of
  /// candidates that failed or whose bits differ from those they promised.
  int run(const std::string& out);

 private:
  struct measured;

  void measure(std::vector<measured>& group);
  void prepare(measured& one, const benchmark& current);
  void warm_up(measured& one);
  void make_room(measured& one);
  void take_turn(measured& one);
  /// Takes all turns of all candidates in a random order that changes per round: a candidate that
  /// runs right after one that heats the machine finds a lower clock, and should not do so every
  /// time.
  void take_turns(std::vector<measured>& group);
  static void write(const std::vector<measured>& group, result_file& file);

  std::vector<benchmark> benchmarks_;
  known_references references_;
  double cold_seconds_;       ///< additional warm-up of the first candidate
  std::string busy_threads_;  ///< the library whose threads the last turn left spinning
};

}  // namespace perf
