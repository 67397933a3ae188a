// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tandem {

/// Allocates host memory. Large blocks are first touched by the threads that will loop over them,
/// so that each part is on its thread's NUMA node.
class openmp_resource {
 public:
  /// @param threads  as in the constructor of openmp
  explicit openmp_resource(int threads) : threads_(threads) {}

  /// Allocates `bytes` uninitialised bytes, aligned to 64; nullptr for 0. Blocks of 8 MiB and more
  /// use huge pages if the system has them.
  /// Errors: out_of_memory_error, which says how much was free.
  void* allocate(std::size_t bytes) const;
  /// Frees a block that allocate returned for `bytes` bytes.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;

 private:
  int threads_;
};

}  // namespace tandem
