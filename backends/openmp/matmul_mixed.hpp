// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/matmul_problem.hpp>

namespace tandem {

class openmp;

/// Matmuls of elements that the kernels do not multiply: a and b become floats in scratch, once an
/// entry of a batch, and the product of floats does the rest.
///
/// Not AVX-512 BF16: it adds terms in pairs and takes subnormal numbers for zeros, so its bits are
/// not those of a chain of fused multiply-adds.
///
/// Scratch: 4 (m k + k n) bytes, and 4 m n where c is not of floats.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem);

}  // namespace tandem
