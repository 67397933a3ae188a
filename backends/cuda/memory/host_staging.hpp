// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>

/// The host side of copies, for pinned memory and for transfers of non-contiguous elements.
namespace tandem::cuda_impl {

/// Computes in `stride` the strides of contiguous row-major elements with the extents of `problem`.
void pack_strides(const copy_problem& problem, index_t (&stride)[maximum_rank]);

/// Whether `stride` describes contiguous row-major elements with the extents of `problem`.
bool is_packed(const copy_problem& problem, const index_t (&stride)[maximum_rank]);

/// Copies elements with arbitrary strides between host memories, on the calling thread.
void host_copy(const copy_problem& problem);

/// Copies bytes to memory aligned to 16 bytes, with non-temporal stores if the processor has them.
/// Ordinary stores leave the data in a core's cache, and the device then has to wait for that core.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace tandem::cuda_impl
