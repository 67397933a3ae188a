// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/cpu/topology.hpp>

#include <cstdlib>
#include <fstream>
#include <set>

#include <omp.h>
#include <sched.h>

namespace tandem::openmp_impl {

namespace {

/// Parses a size as Linux writes it: "32768K".
std::size_t bytes_of(const std::string& size) {
  char* unit = nullptr;
  const unsigned long long number = std::strtoull(size.c_str(), &unit, 10);
  const int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
  return static_cast<std::size_t>(number) << shift;
}

}  // namespace

std::vector<int> allowed_processors() {
  std::set<int> numbers;
  // LLVM's runtime has a place even if threads are not bound: the process's initial mask.
  const int places = omp_get_proc_bind() == omp_proc_bind_false ? 0 : omp_get_num_places();
  for (int place = 0; place < places; ++place) {
    std::vector<int> there(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, there.data());
    numbers.insert(there.begin(), there.end());
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (numbers.empty() && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(static_cast<std::size_t>(i), &allowed)) numbers.insert(i);
    }
  }
  return {numbers.begin(), numbers.end()};
}

std::string processor_line(int processor, const std::string& file) {
  std::ifstream stream("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/" + file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::size_t third_level_cache_bytes() {
  std::size_t bytes = 0;
  std::set<std::string> known;  // caches, by the processors that share them
  for (const int processor : allowed_processors()) {
    const std::string sharers = processor_line(processor, "cache/index3/shared_cpu_list");
    if (sharers.empty() || !known.insert(sharers).second) continue;
    if (processor_line(processor, "cache/index3/level") != "3") continue;
    bytes += bytes_of(processor_line(processor, "cache/index3/size"));
  }
  return bytes;
}

}  // namespace tandem::openmp_impl
