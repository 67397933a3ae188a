// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>

namespace tandem {

class openmp;

/// Copies any strides on as many threads as pay. Contiguous elements are copied by std::memcpy, or
/// by non-temporal stores if they exceed the caches.
void dispatch_copy(const openmp& space, const copy_problem& problem);

/// Sets any strides on as many threads as pay. Contiguous elements that exceed the caches are set
/// by non-temporal stores.
void dispatch_fill(const openmp& space, const fill_problem& problem);

}  // namespace tandem
