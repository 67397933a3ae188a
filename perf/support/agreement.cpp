// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/checking.hpp>

#include <omp.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#if PERF_HAS_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace perf {

namespace {

constexpr int runs = 10;
constexpr double elements = 1 << 20;

/// Benchmarks of one thread agree with themselves, and transfers change no bits.
bool is_compared(const benchmark& current) {
  return current.problem.elements == elements && current.backend != "serial" &&
         current.variant == "resident";
}

/// The hash of a benchmark's result by as many threads. Kokkos keeps the number with which it
/// begins.
std::uint64_t bits_on(int threads, const benchmark& current) {
  omp_set_num_threads(threads);
  const auto run = [&] { return current.make().check().bits; };
#if PERF_HAS_TBB
  return tbb::task_arena(threads).execute(run);
#else
  return run();
#endif
}

/// The hashes of all runs as a JSON list. They are texts, since not all readers of JSON have
/// integers of 64 bits.
std::string bits_of(const benchmark& current) {
  std::string list;
  for (int threads = runs; threads > 0; --threads) {
    if (!list.empty()) list += ", ";
    list += '"' + std::to_string(bits_on(threads, current)) + '"';
  }
  return "[" + list + "]";
}

}  // namespace

int measure_agreement(const settings& chosen, const std::string& path) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error("cannot write " + path);
#if PERF_HAS_TBB
  // Without it TBB has no more threads than the machine.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, runs);
#endif
  int failures = 0;
  const char* separator = "\n";
  file << R"({"agreement": [)";
  for (const benchmark& current : list_benchmarks(chosen).benchmarks) {
    if (!is_compared(current)) continue;
    try {
      const std::string bits = bits_of(current);
      file << separator << R"({"name": ")" << current.key() << R"(", "bits": )" << bits << '}';
      separator = ",\n";
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", current.key().c_str(), error.what());
      ++failures;
    }
  }
  file << "\n]}\n";
  return failures;
}

}  // namespace perf
