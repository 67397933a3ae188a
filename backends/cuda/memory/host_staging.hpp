// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>

/// The host's part of copies, for transfers of elements that are not contiguous and for pinned
/// memory.
namespace tandem::cuda_impl {

/// Writes the strides of contiguous row-major elements with the extents of `problem` to `stride`.
void pack_strides(const copy_problem& problem, index_t (&stride)[maximum_rank]);

/// Whether `stride` describes contiguous row-major elements with the extents of `problem`.
bool is_packed(const copy_problem& problem, const index_t (&stride)[maximum_rank]);

/// Copies elements of any strides between host memories, on the calling thread.
void host_copy(const copy_problem& problem);

/// Copies bytes to memory at a multiple of 16, past the caches where the processor has stores for
/// that: a device that reads lines which a core's cache has just written waits for that core.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace tandem::cuda_impl
