// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

#include <map>
#include <string>
#include <vector>

namespace perf {

/// The benchmarks of all listers, grouped by problem: readers compare them, and the machine's state
/// drifts less between neighbours.
std::vector<benchmark> listed_benchmarks(const settings& chosen);

/// Cache of references, each computed once.
class known_references {
 public:
  const reference& of(const problem& asked);

 private:
  std::map<std::string, reference> known_;
};

/// Checks a candidate's result and returns the label that the report reads: `bits=.. reference=..
/// equal=yes promised=no`, and deviation=.. where the result's error is known.
/// Errors: std::runtime_error when the result is wrong.
std::string checked(const benchmark& current, const candidate& made, const reference& wanted);

}  // namespace perf
