// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/cpu/policy.hpp>
#include <tandem/backends/openmp/cpu/topology.hpp>

#include <omp.h>

using namespace tandem::openmp_impl;

TEST_CASE("openmp processors: those that the process may use, in order") {
  const std::vector<int> processors = allowed_processors();
  CHECK(static_cast<int>(processors.size()) == omp_get_num_procs());
  CHECK(std::is_sorted(processors.begin(), processors.end()));
}

TEST_CASE("openmp processors: a file that is not there has no line") {
  CHECK(processor_line(0, "no/such/file").empty());
  CHECK(processor_line(1 << 20, "cache/index3/size").empty());
}

TEST_CASE("openmp processors: third-level caches are those of the processors, once each") {
  std::size_t most = 0;
  for (const int processor : allowed_processors()) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                       "/cache/index3/size");
    std::size_t kibibytes = 0;
    file >> kibibytes;
    CHECK(third_level_cache_bytes() >= kibibytes << 10);
    most += kibibytes << 10;
  }
  CHECK(third_level_cache_bytes() <= most);
}

TEST_CASE("openmp processors: what is believed of the caches is plausible for so many cores") {
  const auto cores = static_cast<std::size_t>(omp_get_num_procs());
  CHECK(last_level_cache_bytes() >= cores * min_cache_per_core);
  CHECK(last_level_cache_bytes() <= cores * max_cache_per_core);
}
