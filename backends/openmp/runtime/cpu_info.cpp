// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/runtime/space.hpp>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <omp.h>
#include <unistd.h>

#include <tandem/backends/openmp/cpu/topology.hpp>

namespace tandem {

namespace {

/// The processor's name as its vendor calls it.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// Counts the hardware threads that this process may run on, and their cores: the threads of a core
/// report equal lists of siblings.
void count_processors(cpu_description& cpu) {
  std::set<std::string> cores;
  for (const int processor : openmp_impl::allowed_processors()) {
    ++cpu.threads;
    const std::string siblings =
        openmp_impl::processor_line(processor, "topology/thread_siblings_list");
    cores.insert(siblings.empty() ? std::to_string(processor) : siblings);
  }
  if (cpu.threads == 0) cpu.threads = omp_get_num_procs();
  cpu.cores = cores.empty() ? cpu.threads : static_cast<int>(cores.size());
}

std::vector<std::string> vector_instructions() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) names.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) names.emplace_back("avx");
  if (__builtin_cpu_supports("avx2")) names.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) names.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) names.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    names.emplace_back("avx512dq+vl");
#elif defined(__aarch64__)
  names.emplace_back("neon");
#endif
  return names;
}

}  // namespace

cpu_description openmp::cpu_info() {
  cpu_description cpu;
  cpu.name = processor_name();
  cpu.instruction_sets = vector_instructions();
  count_processors(cpu);
  return cpu;
}

std::vector<processor> openmp::processors() {
  const cpu_description cpu = cpu_info();
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  processor one{"openmp", 0, cpu.name, cpu.threads, "threads"};
  if (pages > 0 && page > 0)
    one.memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  return {one};
}

}  // namespace tandem
