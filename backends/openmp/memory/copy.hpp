// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/copy_problem.hpp>

namespace tandem {

class openmp;

/// Copies any strides on as many threads as pay. Contiguous parts go through std::memcpy,
/// or past the caches where they are too large for them.
void dispatch_copy(const openmp& space, const copy_problem& problem);

/// Sets any strides on as many threads as pay; large contiguous fills write past the caches.
void dispatch_fill(const openmp& space, const fill_problem& problem);

}  // namespace tandem
