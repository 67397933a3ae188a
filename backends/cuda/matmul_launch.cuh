// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/launch.cuh>
#include <tandem/backends/cuda/matmul_arguments.cuh>

namespace tandem::cuda_impl {

/// Enqueues the kernel of a candidate tile with the plan's accesses, for `batch` matrices (at most
/// 65535).
///
/// Defined in matmul_kernel.cuh and instantiated in matmul_f32_*.cu and matmul_f64.cu, which build
/// in parallel.
template <class T, int Candidate>
void launch_candidate(const cuda& space, const matmul_plan& plan,
                      const matmul_arguments<T>& arguments, index_t batch);

}  // namespace tandem::cuda_impl
