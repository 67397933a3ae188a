// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/atomic/bench.hpp>

namespace perf {

namespace {

candidate raw_openmp(tandem::index_t n) {
  auto counter = std::make_shared<std::int32_t>();
  return on_host(
      [=](std::int64_t) {
        std::int32_t& shared = *counter;
        shared = 0;
#pragma omp parallel for
        for (tandem::index_t i = 0; i < n; ++i) {
#pragma omp atomic
          ++shared;
        }
      },
      [=] { return summary_of(*counter); });
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  for (const tandem::index_t n : counter_threads(chosen)) {
    const problem solved = counter_problem(n);
    benchmarks.push_back(
        tandem_on_cpu(solved, "serial", [=] { return resident_counter<tandem::serial>(n); }));
    benchmarks.push_back(
        tandem_on_cpu(solved, "openmp", [=] { return resident_counter<tandem::openmp>(n); }));
    benchmarks.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(n); }));
  }
}

const registration cpu(list_cpu);

}  // namespace

std::vector<tandem::index_t> counter_threads(const settings& chosen) {
  constexpr tandem::index_t most = tandem::index_t{1} << 22;
  std::vector<tandem::index_t> threads = curve_sizes(chosen);
  std::erase_if(threads, [](tandem::index_t n) { return n > most; });
  if (!chosen.quick) threads.push_back(1'000'000);
  return threads;
}

problem counter_problem(tandem::index_t n) {
  problem solved{"atomic", "counter", "i32", std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.expected = [=] {
    return reference{resident_counter<tandem::serial>(n).check(), 0, "serial"};
  };
  return solved;
}

}  // namespace perf
