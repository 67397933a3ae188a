// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/histogram_problem.hpp>

namespace tandem {

class openmp;

/// Counts or sums on as many of the space's threads as pay, each with private bins.
/// Errors: out_of_memory_error for the private bins.
void dispatch_histogram(const openmp& space, const histogram_problem& problem);

}  // namespace tandem
