// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/checking.hpp>

#include <omp.h>

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

/// Calls work() with OpenMP's number of threads set to one.
template <class Work>
auto on_one_thread(const Work& work) {
  struct restored {
    int threads = omp_get_max_threads();
    ~restored() { omp_set_num_threads(threads); }
  };
  const restored at_end;
  omp_set_num_threads(1);
  return work();
}

/// tandem on one of OpenMP's threads: the base of the speed-up by threads.
benchmark one_thread_of(const benchmark& all_threads) {
  benchmark one = all_threads;
  one.variant = "threads_1";
  one.make = [make = all_threads.make] {
    candidate made = make();
    made.check = [check = made.check] { return on_one_thread(check); };
    made.run = [run = made.run](std::int64_t round) { on_one_thread([&] { run(round); }); };
    return made;
  };
  return one;
}

/// Adds one thread of OpenMP to each of tandem's benchmarks on all of them, except those that
/// have it.
void add_one_thread(lineup& all) {
  std::vector<benchmark> added;
  for (const benchmark& one : all.benchmarks) {
    const bool on_threads = one.backend == "openmp" && one.implementation == "tandem";
    if (on_threads && one.variant == "resident" && one.problem.algorithm != "kernels")
      added.push_back(one_thread_of(one));
  }
  for (benchmark& one : added) all(std::move(one));
}

}  // namespace

std::vector<lister>& listers() {
  static std::vector<lister> all;
  return all;
}

lineup list_benchmarks(const settings& chosen) {
  lineup all;
  for (const lister list : listers()) list(chosen, all);
  if (!chosen.targets) add_one_thread(all);
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
