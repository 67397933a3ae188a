// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/memory.hpp>

#include <cstddef>

namespace tandem {

/// Allocates page-locked host memory from a cache shared by the process, because pinning is
/// expensive. Freed memory may be reused immediately, so transfers to and from an array must have
/// completed (fence or event) before the array is destroyed. May be called from any thread.
class pinned_resource {
 public:
  /// Allocates at least `bytes` bytes, aligned to a page; returns nullptr for 0. Allocates ordinary
  /// memory on a machine without a device. Errors: out_of_memory_error.
  void* allocate(std::size_t bytes) const;
  /// Returns memory to the cache; never throws.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;
};

/// Takes the place of a space in arrays that live in page-locked host memory:
///
///   tandem::array<float, 1, tandem::cuda_pinned> staging(n);
///   tandem::copy(gpu, staging, x);
///
/// Transfers to and from such arrays run at the link's full speed and do not block. Both the host
/// and kernels may read and write their elements. This is not a space: nothing runs on it.
class cuda_pinned {
 public:
  using memory_type = pinned_memory;
  using resource_type = pinned_resource;

  pinned_resource resource() const { return {}; }
};

/// Copies host memory to page-locked memory, on the calling thread.
void dispatch_copy(const cuda_pinned& space, const copy_problem& problem);
/// Fills page-locked memory on the calling thread.
void dispatch_fill(const cuda_pinned& space, const fill_problem& problem);

}  // namespace tandem
