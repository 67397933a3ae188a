// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>

namespace tandem {

class serial;

/// Copies element by element, in row-major order.
void dispatch_copy(const serial&, const copy_problem& problem);

/// Sets element by element, in row-major order.
void dispatch_fill(const serial&, const fill_problem& problem);

}  // namespace tandem
