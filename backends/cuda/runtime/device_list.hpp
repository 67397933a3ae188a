// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

/// Describes a CUDA device, as the driver reports it at the time of the call. Available in every
/// build; one without CUDA lists no devices.
///
///   for (const auto& device : tandem::cuda::devices()) std::puts(device.name.c_str());
struct cuda_device {
  int id = 0;
  std::string name;
  std::string pci_bus;         ///< domain:bus:device.function: "0000:65:00.0"
  int compute_capability = 0;  ///< major * 10 + minor: 90 for compute capability 9.0
  int driver_version = 0;      ///< CUDA version of the driver: 12040 for 12.4
  int runtime_version = 0;     ///< CUDA version that tandem was built with, in the same form

  std::size_t free_memory = 0;   ///< bytes
  std::size_t total_memory = 0;  ///< bytes
  std::size_t l2_bytes = 0;
  int memory_clock_khz = 0;  ///< maximum clock of the memory, in kHz

  int multiprocessors = 0;
  int clock_khz = 0;             ///< maximum clock of the multiprocessors, in kHz
  int warp_size = 0;             ///< lanes per warp
  int block_threads = 0;         ///< maximum threads per block
  std::size_t block_shared = 0;  ///< maximum bytes of shared memory per block
};

/// Formats a CUDA version in the usual form: "12.4" for 12040.
///
/// @param version  as in cuda_device: 1000 * major + 10 * minor
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace tandem
