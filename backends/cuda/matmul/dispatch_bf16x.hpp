// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::cuda_impl {

/// Enqueues a product of floats as products of their parts on the tensor cores, if the problem asks
/// for that (precision bf16x6 or bf16x9, and no kernel), no extent is 0 or needs more than 31 bits,
/// and the device is of compute capability 9.0. Otherwise does nothing and returns false; the
/// product is then computed as `full`. TANDEM_EXPLAIN=1 tells which.
///
/// Takes 6 bytes of the stream's scratch memory for each element of a and b, rows and columns
/// rounded up to whole tiles; of a large batch as many matrices at a time as 2 GiB hold.
bool run_split(const cuda& space, const matmul_problem<float>& problem);

}  // namespace tandem::cuda_impl
