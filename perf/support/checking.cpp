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

/// Whether a benchmark repeats the computation that made the reference.
bool is_reference(const benchmark& current, const reference& wanted) {
  return current.implementation == "tandem" && current.backend == wanted.made_by;
}

}  // namespace

std::vector<lister>& listers() {
  static std::vector<lister> all;
  return all;
}

lineup list_benchmarks(const settings& chosen) {
  lineup all;
  for (const lister list : listers()) list(chosen, all);
  const auto rank = [](const benchmark& one) {
    const problem& of = one.problem;
    return std::tie(of.name, of.type, of.elements, of.size);
  };
  std::stable_sort(all.benchmarks.begin(), all.benchmarks.end(),
                   [&](const benchmark& a, const benchmark& b) { return rank(a) < rank(b); });
  return all;
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

std::string checked(const benchmark& current, const candidate& made, const reference& wanted) {
  if (!made.check) return "";
  const outcome got = is_reference(current, wanted) ? wanted.result : made.check();
  // Negated, so that a NaN fails.
  if (!(std::abs(got.value - wanted.result.value) <= wanted.tolerance)) {
    throw std::runtime_error("wrong result: " + std::to_string(got.value) + ", expected " +
                             std::to_string(wanted.result.value) + " +- " +
                             std::to_string(wanted.tolerance));
  }
  const bool equal = got.bits == wanted.result.bits;
  return "bits=" + hexadecimal(got.bits) + " reference=" + wanted.made_by +
         " equal=" + (equal ? "yes" : "no") + " promised=" + (current.same_bits ? "yes" : "no") +
         (got.error > 0 ? " deviation=" + scientific(got.error) : "");
}

}  // namespace perf
