// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::cuda_impl {

/// Enqueues a reference kernel for the whole problem: any extents, strides and alignment, in the
/// canonical shape. `tiled` runs the kernel of the tutorials, anything else the naive one.
///
/// Also what runs where no faster kernel can. Defined for float, double, half -> half, half ->
/// float, bf16 -> bf16, bf16 -> float and int8 -> int32.
/// Errors: device_error.
template <class T, class In>
void run_reference(const cuda& space, const matmul_problem<T, In>& problem, matmul_kernel kernel);

}  // namespace tandem::cuda_impl
