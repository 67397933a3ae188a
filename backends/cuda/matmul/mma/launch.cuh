// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/plan/mma.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>

namespace tandem::cuda_impl {

/// Enqueues the mma.sync kernel of a plan for `batch` matrices and `parts` parts of k (at most
/// 65535 each): T float or In for In half and bf16, float for In float (rounded to tf32),
/// std::int32_t for std::int8_t.
///
/// A chunk is a multiple of 64 terms, or the whole part. With more than one chunk in a part it uses
/// the stream's scratch memory, so none of `arguments` may lie there then. Needs compute capability
/// 8.0, or 7.5 for half and 8-bit integers. Defined in matmul_mma.cu and matmul_mma_int8.cu.
template <class T, class In>
void launch_mma(const cuda& space, const mma_plan& plan, const matmul_arguments<T, In>& arguments,
                index_t batch, index_t parts = 1);

}  // namespace tandem::cuda_impl
