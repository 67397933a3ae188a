// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/histogram_problem.hpp>

namespace tandem {

class cuda;

/// Counts or sums in stream order, with bins in shared memory if they fit. Does not block. Errors:
/// device_error, out_of_memory_error for the scratch of weighted sums.
void dispatch_histogram(const cuda& space, const histogram_problem& problem);

}  // namespace tandem
