// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/checking.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <tuple>

namespace perf {

namespace {

std::string hexadecimal(std::uint64_t bits) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(bits));
  return digits;
}

std::string scientific(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4e", x);
  return text;
}

/// Whether an entry is the very computation that the reference came from.
bool is_reference(const entry& line, const reference& wanted) {
  return line.who == "tandem" && line.where == wanted.made_by;
}

}  // namespace

std::vector<lister>& listers() {
  static std::vector<lister> all;
  return all;
}

std::vector<entry> listed_entries(const settings& chosen) {
  std::vector<entry> entries;
  for (const lister list : listers()) list(chosen, entries);
  std::stable_sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    const auto rank = [](const entry& e) {
      return std::tie(e.problem.name, e.problem.type, e.problem.elements, e.problem.size);
    };
    return rank(a) < rank(b);
  });
  return entries;
}

const reference& known_references::of(const problem& asked) {
  auto [place, is_new] = known_.try_emplace(asked.key());
  if (is_new) {
    try {
      place->second = asked.expected();
    } catch (...) {
      known_.erase(place);
      throw;
    }
  }
  return place->second;
}

std::string checked(const entry& line, const contender& made, const reference& wanted) {
  if (!made.check) return "";
  const outcome got = is_reference(line, wanted) ? wanted.result : made.check();
  // Written so that a NaN fails.
  if (!(std::abs(got.value - wanted.result.value) <= wanted.tolerance)) {
    throw std::runtime_error("wrong result: " + std::to_string(got.value) + ", expected " +
                             std::to_string(wanted.result.value) + " +- " +
                             std::to_string(wanted.tolerance));
  }
  const bool equal = got.bits == wanted.result.bits;
  return "bits=" + hexadecimal(got.bits) + " reference=" + wanted.made_by +
         " equal=" + (equal ? "yes" : "no") + " promised=" + (line.same_bits ? "yes" : "no") +
         (got.error > 0 ? " deviation=" + scientific(got.error) : "");
}

}  // namespace perf
