// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what this machine has to compute on, as tandem sees it.
#include <cstdio>

#include <tandem/tandem.hpp>

// A build may lack either of them; what is only declared counts as absent below.
namespace tandem {
class openmp;
class cuda;
}  // namespace tandem

namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

/// Space depends on a template parameter, so that a backend which is not there is asked nothing.
template <class Space>
void list_processor() {
  if constexpr (requires { Space::cpu_info(); }) {
    const auto cpu = Space::cpu_info();
    std::printf("CPU: %s, %d threads on %d cores;", cpu.name.c_str(), cpu.threads, cpu.cores);
    for (const auto& set : cpu.instruction_sets) std::printf(" %s", set.c_str());
    std::printf("\n");
  } else {
    std::printf("CPU: the OpenMP backend is not in this build\n");
  }
}

template <class Space>
void list_devices() {
  if constexpr (requires { Space::devices(); }) {
    const auto devices = Space::devices();
    if (devices.empty()) std::printf("GPU: no CUDA device\n");
    for (const auto& device : devices) {
      std::printf("GPU %d: %s, compute capability %d.%d, %d multiprocessors\n", device.id,
                  device.name.c_str(), device.compute_capability / 10,
                  device.compute_capability % 10, device.multiprocessors);
      std::printf("  memory: %.1f GiB free of %.1f; L2 cache: %.0f MiB\n",
                  static_cast<double>(device.free_memory) / gibibyte,
                  static_cast<double>(device.total_memory) / gibibyte,
                  static_cast<double>(device.l2_bytes) / (1024 * 1024));
      std::printf("  a block: at most %d threads and %zu bytes of shared memory\n",
                  device.block_threads, device.block_shared);
    }
  } else {
    std::printf("GPU: the CUDA backend is not in this build\n");
  }
}

}  // namespace

int main() {
  list_processor<tandem::openmp>();
  list_devices<tandem::cuda>();
}
