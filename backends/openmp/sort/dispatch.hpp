// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_problem.hpp>

namespace tandem {

class openmp;

/// Divides the keys into buckets by sampled splitters, chunk by chunk in a core's cache, and sorts
/// each bucket on one thread: by radix sort or, for keys without values if CMake found Highway, by
/// its vectorised sort. Both give the same result. Values of 4 and 8 bytes move with their keys;
/// others move once, at the end. Allocates the size of the keys and these values once more.
void dispatch_sort(const openmp& space, const sort_problem& problem);

}  // namespace tandem
