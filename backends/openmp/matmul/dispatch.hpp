// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/dispatch_16bit.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/int8/int8.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Computes a matmul on the CPU, packed and blocked, with the widest vectors that the CPU has. The
/// bits depend neither on the number of threads nor on the instruction set. matmul_kernel::naive
/// computes one element after another; `tiled`, which names a GPU kernel, means `automatic` here.
///
/// Returns when c is written. The calling thread keeps the scratch for its next call, in proportion
/// to the number of threads: some MiB for a single thread.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem);

}  // namespace tandem
