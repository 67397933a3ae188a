// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/plan/plan.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>

namespace tandem::cuda_impl {

/// Enqueues the wgmma kernel of a plan for `batch` matrices. b is contiguous along k, a as the plan
/// says, with runs and matrices a positive multiple of 16 bytes apart (or one matrix for all).
/// Defined in matmul_wgmma_int8.cu, which is compiled for sm_90a alone. Errors: device_error.
void launch_wgmma_int8(const cuda& space, const int8_plan& plan,
                       const matmul_arguments<std::int32_t, std::int8_t>& arguments, index_t batch);

}  // namespace tandem::cuda_impl
