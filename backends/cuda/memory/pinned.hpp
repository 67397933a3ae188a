// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/memory.hpp>

#include <cstddef>

namespace tandem {

/// Allocates page-locked host memory from a cache of the process, since pinning is expensive. Freed
/// memory may be reused at once: transfers to and from it must have ended (fence or event) before
/// their array is destroyed. May be called from any thread.
class pinned_resource {
 public:
  /// At least `bytes` bytes, aligned to a page; nullptr for 0. Ordinary memory on a machine without
  /// a device. Errors: out_of_memory_error.
  void* allocate(std::size_t bytes) const;
  /// Returns memory to the cache; never throws.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;
};

/// Takes the place of an array's space, for arrays in page-locked host memory:
///
///   tandem::array<float, 1, tandem::cuda_pinned> staging(n);
///   tandem::copy(gpu, staging, x);
///
/// Transfers to and from such arrays run at the link's full speed and do not block; the host reads
/// and writes their elements, and so may kernels. Not a space: nothing runs on it.
class cuda_pinned {
 public:
  using memory_type = pinned_memory;
  using resource_type = pinned_resource;

  pinned_resource resource() const { return {}; }
};

/// Copies memory of the host to page-locked memory, on the calling thread.
void dispatch_copy(const cuda_pinned& space, const copy_problem& problem);
/// Fills page-locked memory on the calling thread.
void dispatch_fill(const cuda_pinned& space, const fill_problem& problem);

}  // namespace tandem
