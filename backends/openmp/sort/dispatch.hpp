// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_problem.hpp>

namespace tandem {

class openmp;

/// Divides the keys into buckets by a sample, chunk by chunk in a core's cache, and sorts each
/// bucket on one thread: by digits, or, without values and where CMake found Highway, by its
/// vectorised sort. The result is the same either way. Values of 4 and 8 bytes travel with their
/// keys, others move once, at the end. Takes the memory of the keys and these values once more for
/// its time. Two threads sort keys alone by halves where they can (sort_halves.hpp), without that
/// memory.
void dispatch_sort(const openmp& space, const sort_problem& problem);

}  // namespace tandem
