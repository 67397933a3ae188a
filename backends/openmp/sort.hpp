// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/sort_problem.hpp>

namespace tandem {

class openmp;

/// Sorts by digits of 8 bits, the lowest first: each thread counts and moves a block of its own.
/// Values move once, at the end. Takes twice the memory of the keys for its time, and of 4 or 8
/// bytes a value.
void dispatch_sort(const openmp& space, const sort_problem& problem);

}  // namespace tandem
