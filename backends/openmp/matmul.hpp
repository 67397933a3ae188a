// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Computes a matmul on the CPU, packed and blocked, with the widest vectors that the CPU has. The same bits for any
/// number of threads and any instruction set. Returns when c is written.
///
/// Errors: out_of_memory_error for the packed panels, at most 128 MiB; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem);

}  // namespace tandem
