// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/comparison/comparison.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace tandem {

namespace {

std::string ulp_text(std::uint64_t ulp) {
  if (ulp == 0) return "";
  if (ulp == std::numeric_limits<std::uint64_t>::max()) return ", NaN against a number";
  return ", at most " + std::to_string(ulp) + " ulp apart";
}

std::string line_of(const compared_operation& one, const comparison& all) {
  char times[96];
  std::snprintf(times, sizeof times, "; %.3f ms and %.3f ms\n", one.milliseconds_a,
                one.milliseconds_b);
  std::string line = (one.agrees ? "  equal   " : "  DIFFERS ") + one.label + times;
  if (!one.agrees) {
    line += "          " + one.output + ": first at element " + std::to_string(one.first) + ", " +
            one.value_a + " (" + all.name_a + ") and " + one.value_b + " (" + all.name_b + "); " +
            std::to_string(one.differing) + (one.differing == 1 ? " differs" : " differ") +
            ulp_text(one.ulp) + "\n";
  }
  return line;
}

}  // namespace

bool comparison::agrees() const {
  return mismatch.empty() && std::all_of(operations.begin(), operations.end(),
                                         [](const auto& one) { return one.agrees; });
}

std::string comparison::text() const {
  const auto equal = std::count_if(operations.begin(), operations.end(),
                                   [](const auto& one) { return one.agrees; });
  std::string report = "tandem: compare: " + name_a + " and " + name_b + ": " +
                       std::to_string(equal) + " of " + std::to_string(operations.size()) +
                       " operations agree to the last bit\n";
  for (const auto& one : operations) report += line_of(one, *this);
  if (!mismatch.empty()) report += "  ended: " + mismatch + "\n";
  return report;
}

}  // namespace tandem
