// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/copy_problem.hpp>

namespace tandem::cuda_impl {

/// Writes the strides of contiguous row-major elements of `problem`'s extents to `stride`.
void pack_strides(const copy_problem& problem, index_t (&stride)[maximum_rank]);

/// Whether `stride` are those strides.
bool is_packed(const copy_problem& problem, const index_t (&stride)[maximum_rank]);

/// Copies on the calling thread between memories of the host, any strides.
void host_copy(const copy_problem& problem);

}  // namespace tandem::cuda_impl
