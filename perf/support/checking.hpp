// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

#include <map>
#include <string>

namespace perf {

/// The benchmarks of all listers, grouped by problem: readers compare them, and the machine's state
/// drifts less between neighbours.
lineup list_benchmarks(const settings& chosen);

/// Runs the program's benchmarks of 2^20 elements ten times each, those on the CPU on ten to one
/// threads, and writes the hashes of the results' bits to the JSON file `path`. Measures no times.
///
/// Returns the number of benchmarks that failed. Errors: std::runtime_error if the file cannot be
/// written.
int measure_agreement(const settings& chosen, const std::string& path);

/// Cache of references, each computed once.
class known_references {
 public:
  const reference& of(const problem& asked);

 private:
  std::map<std::string, reference> known_;
};

/// Checks a candidate's result and returns the label that the report reads: `bits=.. reference=..
/// equal=yes promised=no`, and deviation=.. if the result's error is known.
/// Errors: std::runtime_error when the result is wrong.
std::string checked(const benchmark& current, const candidate& made, const reference& wanted);

}  // namespace perf
