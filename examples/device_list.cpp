// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the devices on which tandem can compute on this machine.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

void list_devices() {
  const auto devices = tandem::cuda::devices();
  if (devices.empty()) std::printf("no CUDA device\n");
  for (const auto& device : devices) {
    std::printf("GPU %d: %s at %s, compute capability %d.%d\n", device.id, device.name.c_str(),
                device.pci_bus.c_str(), device.compute_capability / 10,
                device.compute_capability % 10);
    std::printf("  %d multiprocessors of warps of %d, up to %.0f MHz; memory up to %.0f MHz\n",
                device.multiprocessors, device.warp_size, device.clock_khz / 1000.0,
                device.memory_clock_khz / 1000.0);
    std::printf("  memory: %.1f GiB free of %.1f; L2 cache: %.0f MiB\n",
                static_cast<double>(device.free_memory) / gibibyte,
                static_cast<double>(device.total_memory) / gibibyte,
                static_cast<double>(device.l2_bytes) / (1024 * 1024));
    std::printf("  a block: at most %d threads and %zu bytes of shared memory\n",
                device.block_threads, device.block_shared);
    std::printf("  CUDA: driver %s, runtime %s\n",
                tandem::cuda_version_text(device.driver_version).c_str(),
                tandem::cuda_version_text(device.runtime_version).c_str());
  }
}

}  // namespace

int main() {
  const auto processors = tandem::any_space::processors();
  for (const auto& one : processors) std::printf("%s\n", one.text().c_str());
  list_devices();
  // The list has the host and each CUDA device.
  return processors.size() >= 1 + tandem::cuda::devices().size() ? 0 : 1;
}
