// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tandem {

/// Allocates host memory, page by page as it is first touched.
class serial_resource {
 public:
  /// Allocates `bytes` bytes, 64-byte aligned, uninitialised; nullptr for 0.
  /// Errors: out_of_memory_error, which says how much was free.
  static void* allocate(std::size_t bytes);
  /// Frees what allocate returned.
  static void deallocate(void* pointer, std::size_t bytes) noexcept;
};

}  // namespace tandem
