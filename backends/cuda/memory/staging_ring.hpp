// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <cstddef>

/// Large copies between a device and ordinary host memory. The driver stages such copies through
/// one small page-locked buffer on one thread, at a fraction of the link's bandwidth; here several
/// threads fill or empty a ring of page-locked buffers while the copy engine works on others.
namespace tandem::cuda_impl {

/// Whether a copy of `bytes` contiguous bytes at `host` goes through the ring: it is large, its
/// memory is not page-locked, the space's stream is not being captured, and the host has memory for
/// the ring, which is made if need be. What follows may be called only then.
bool is_staged(const cuda& space, const void* host, std::size_t bytes);

/// Copies `bytes` contiguous bytes of ordinary host memory to device memory, in the space's order.
/// Returns when the host's memory has been read; its last part may still be on its way. May be
/// called from several threads, which then take turns on a device. Errors: device_error.
void stage_to_device(const cuda& space, void* device, const void* host, std::size_t bytes);

/// Copies `bytes` contiguous bytes of device memory to ordinary host memory, in the space's order,
/// and returns when they are there. Errors: device_error.
void stage_to_host(const cuda& space, void* host, const void* device, std::size_t bytes);

}  // namespace tandem::cuda_impl
