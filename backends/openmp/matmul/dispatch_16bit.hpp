// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Matmuls of 16-bit floats. Those of bf16 run on AVX-512 BF16 where it is fast and has the bits of
/// chains of fused multiply-adds (matmul_bf16.hpp). Otherwise elements of a and b become floats as
/// the kernels of floats pack or read them, and those of c, where it is not of floats, are rounded
/// while they are in a cache.
///
/// Scratch: as for floats (matmul.hpp), and at most 64 MiB more for pairs of bf16, or what one
/// entry of a batch takes, 2 (m k + k n) bytes.
/// Errors: out_of_memory_error for the scratch; c is unchanged then, but some entries of a batch of
/// bf16 may be finished.
void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem);

}  // namespace tandem
