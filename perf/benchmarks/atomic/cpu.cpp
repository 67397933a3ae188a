// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/atomic/bench.hpp>

namespace perf {

namespace {

candidate raw_openmp(index_t n) {
  auto counter = std::make_shared<std::int32_t>();
  return on_host(
      [=](std::int64_t) {
        std::int32_t& shared = *counter;
        shared = 0;
#pragma omp parallel for
        for (index_t i = 0; i < n; ++i) {
#pragma omp atomic
          ++shared;
        }
      },
      [=] { return summary_of(*counter); });
}

void list_cpu(const settings& chosen, lineup& add) {
  for (const index_t n : counter_threads(chosen)) {
    const problem solved = counter_problem(n);
    add(tandem_on_cpu(solved, "serial", [=] { return resident_counter<serial>(n); }));
    add(tandem_on_cpu(solved, "openmp", [=] { return resident_counter<openmp>(n); }));
    add(peer(solved, "openmp", "raw", [=] { return raw_openmp(n); }));
  }
}

const registration cpu(list_cpu);

}  // namespace

std::vector<index_t> counter_threads(const settings& chosen) {
  constexpr index_t most = index_t{1} << 22;
  std::vector<index_t> threads = curve_sizes(chosen);
  std::erase_if(threads, [](index_t n) { return n > most; });
  if (!chosen.quick) threads.push_back(1'000'000);
  return threads;
}

problem counter_problem(index_t n) {
  return problem_of("atomic", "counter", "i32", n, 0, [=] {
    return reference{resident_counter<serial>(n).check(), 0, "serial"};
  });
}

}  // namespace perf
