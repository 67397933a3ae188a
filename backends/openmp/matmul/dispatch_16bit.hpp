// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Computes matmuls of 16-bit floats. bf16 runs on AVX-512 BF16 where that is fast and its sums have
/// the bits of chains of fused multiply-adds (packed_terms/bf16/bf16.hpp). Otherwise the kernels of
/// floats widen the elements of a and b as they pack or load them, and results of 16 bits are
/// rounded while they are in a cache.
///
/// Scratch: as for floats (dispatch.hpp), and for pairs of bf16 at most 64 MiB more, or 2 (m k +
/// k n) bytes where one entry of the batch takes more than that.
/// Errors: out_of_memory_error for the scratch; c is unchanged then, but some entries of a batch of
/// bf16 may be finished.
void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem);

}  // namespace tandem
