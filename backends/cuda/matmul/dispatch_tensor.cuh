// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/tensor.hpp>
#include <tandem/backends/cuda/runtime/space.hpp>

namespace tandem::cuda_impl {

/// Enqueues a product of floats whose precision is tf32, or returns false where the device has no
/// tensor cores for it: then it is computed in full.
bool multiply_tf32(const cuda& space, const matmul_problem<float>& problem);

/// The device as plan_tensor sees it.
tensor_device tensor_limits(const cuda& space);

}  // namespace tandem::cuda_impl
