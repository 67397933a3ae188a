// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/sort_problem.hpp>

namespace tandem {

/// Sorts by CUB's radix sort, in the stream's order. Does not block. While it runs it takes as much
/// memory as the operands from the stream's pool, in place no more than that.
/// Errors: extent_error for 2^32 keys or more, device_error, out_of_memory_error.
void dispatch_sort(const cuda& space, const sort_problem& problem);

}  // namespace tandem
