// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/merge_problem.hpp>

namespace tandem {

/// Sorts with CUB's radix sort, in stream order. Does not block. Takes as many bytes as the
/// operands from the stream's pool while it runs, and no more than that for an in-place sort.
/// Errors: extent_error for 2^32 keys or more, device_error, out_of_memory_error.
void dispatch_sort(const cuda& space, const sort_problem& problem);

/// Merges two sorted runs with one kernel, in stream order. Does not block, and allocates nothing.
/// Errors: device_error.
void dispatch_merge(const cuda& space, const char* label, const merge_problem& problem);

}  // namespace tandem
