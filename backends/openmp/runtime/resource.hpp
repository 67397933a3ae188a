// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tandem {

/// Allocates host memory and touches large blocks from the threads that will loop over them, so
/// that each part lies on the memory node of its thread.
class openmp_resource {
 public:
  /// @param threads  as the constructor of openmp has it
  explicit openmp_resource(int threads) : threads_(threads) {}

  /// `bytes` bytes, 64-byte aligned, uninitialised; nullptr for 0. From 8 MiB on in huge pages
  /// where the system has them.
  /// Errors: out_of_memory_error with what was free.
  void* allocate(std::size_t bytes) const;
  /// Gives back what allocate returned for the same number of bytes.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;

 private:
  int threads_;
};

}  // namespace tandem
