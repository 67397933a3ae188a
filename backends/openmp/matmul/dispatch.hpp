// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/dispatch_16bit.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/int8/int8.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Computes a matmul on the CPU, packed and blocked, with the widest vectors that the CPU has: the
/// same bits for any number of threads and any instruction set. matmul_kernel::naive takes one
/// element after another; tiles in shared memory are a GPU's, and `tiled` is what `automatic` is.
///
/// Returns when c is written. The calling thread keeps the scratch for its next call: 5 MiB
/// for floats on one thread, up to 64 MiB for doubles on 16 threads.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem);

}  // namespace tandem
