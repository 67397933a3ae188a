// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Matmuls of 16-bit floats. Those of bf16 run on AVX-512 BF16 where it is fast and has the bits of
/// chains of fused multiply-adds (matmul_bf16.hpp). Otherwise a and b become floats in scratch, and
/// the product of floats does the rest.
///
/// Scratch: 4 (m k + k n) bytes, and 4 m n where c is not of floats, for one entry of a batch or as
/// many together as 128 MiB hold; the thread keeps up to that much.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem);

}  // namespace tandem
