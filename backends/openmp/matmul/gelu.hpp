// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// Applies x = gelu(x) to `count` elements, `stride` apart, with the widest vectors that the CPU has.
/// The bits do not depend on the instruction set.
void apply_gelu(float* x, index_t count, index_t stride);
void apply_gelu(double* x, index_t count, index_t stride);

}  // namespace tandem::openmp_impl
