// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/copy_problem.hpp>

/// The host's part of copies, for transfers of elements that are not contiguous and for pinned
/// memory.
namespace tandem::cuda_impl {

/// Writes the strides of contiguous row-major elements with the extents of `problem` to `stride`.
void pack_strides(const copy_problem& problem, index_t (&stride)[maximum_rank]);

/// Whether `stride` describes contiguous row-major elements with the extents of `problem`.
bool is_packed(const copy_problem& problem, const index_t (&stride)[maximum_rank]);

/// Copies elements of any strides between host memories, on the calling thread.
void host_copy(const copy_problem& problem);

}  // namespace tandem::cuda_impl
