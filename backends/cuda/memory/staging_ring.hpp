// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <cstddef>

/// Large copies between a device and pageable host memory. The driver stages such copies through
/// one small page-locked buffer on one thread, at a fraction of the link's bandwidth. Here several
/// threads fill or drain a ring of page-locked buffers while the copy engine works on others.
namespace tandem::cuda_impl {

/// Rows of pageable host memory, `bytes` each and `pitch` bytes apart; contiguous memory is one
/// row.
struct host_rows {
  void* first;
  std::size_t bytes;
  std::size_t pitch;
};

/// Whether a copy of `bytes` bytes at `host` goes through the ring. This requires that the copy is
/// large, its memory is not page-locked, the space's stream is not being captured, and the host has
/// memory for the ring, which is created if necessary. The functions below may be called only if
/// this returned true.
bool is_staged(const cuda& space, const void* host, std::size_t bytes);

/// Copies `bytes` bytes of rows to contiguous device memory, in stream order. Returns when host
/// memory has been read; the last part may still be in flight. May be called from several threads,
/// which then take turns per device. Errors: device_error.
void stage_to_device(const cuda& space, void* device, const host_rows& host, std::size_t bytes);

/// Copies `bytes` contiguous bytes of device memory to rows, in stream order, and returns when they
/// have arrived. Errors: device_error.
void stage_to_host(const cuda& space, const host_rows& host, const void* device, std::size_t bytes);

}  // namespace tandem::cuda_impl
