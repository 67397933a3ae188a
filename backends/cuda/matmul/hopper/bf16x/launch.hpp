// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::cuda_impl {

/// Enqueues a product of floats as products of their bf16 components, 6 or 9 of them as the
/// problem's precision says. No extent is 0; the device is of compute capability 9.0.
///
/// Takes 6 bytes of the stream's scratch memory for each element of a and b, rows and columns
/// rounded up to whole tiles; of a large batch as many matrices at a time as 2 GiB hold. Defined in
/// a file that is compiled for sm_90a alone.
void run_bf16x(const cuda& space, const matmul_problem<float>& problem);

}  // namespace tandem::cuda_impl
