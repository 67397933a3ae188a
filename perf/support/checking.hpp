// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/entry.hpp>

#include <map>
#include <string>
#include <vector>

namespace perf {

/// The entries of all listers, those of one problem side by side: a reader compares them, and the
/// machine's state drifts less between them.
std::vector<entry> listed_entries(const settings& chosen);

/// References that were asked for, each computed once.
class known_references {
 public:
  const reference& of(const problem& asked);

 private:
  std::map<std::string, reference> known_;
};

/// Checks a contender's result and returns what the report keeps of it: `bits=.. reference=..
/// equal=yes promised=no`, and deviation=.. where the result's error is known.
/// Errors: std::runtime_error when the result is wrong.
std::string checked(const entry& line, const contender& made, const reference& wanted);

}  // namespace perf
