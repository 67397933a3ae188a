// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/checking.hpp>

#include <string>
#include <vector>

namespace perf {

class result_file;

/// Measures the contenders of one problem in turn, all of them alive together, so that a ratio of
/// two compares the same seconds of the machine: what the table of bars is made of.
class interleaved_runner {
 public:
  /// `wanted` names a file with one entry a line, "reduce/sum/f32/1048576/cuda/cub/resident"; of
  /// all that the program lists, those are measured.
  /// Errors: std::runtime_error when the file cannot be read.
  interleaved_runner(const settings& chosen, const std::string& wanted);

  /// Measures everything and writes it to `out` as Google Benchmark would. Returns the number of
  /// contenders that failed, or promised bits and had others.
  int run(const std::string& out);

 private:
  struct measured;

  void measure(std::vector<measured>& group);
  void prepare(measured& one, const entry& line);
  void warm_up(measured& one);
  void make_room(measured& one);
  void take_turn(measured& one);
  /// All turns of all contenders, in another order each round: what runs right after a peer that
  /// heats the machine finds a lower clock, and that shall not be always the same one.
  void take_turns(std::vector<measured>& group);
  static void write(const std::vector<measured>& group, result_file& file);

  std::vector<entry> entries_;
  known_references references_;
  double cold_seconds_;       ///< what the first contender runs longer than the others
  std::string busy_threads_;  ///< whose threads the last turn has left spinning
};

}  // namespace perf
