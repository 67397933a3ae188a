// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan.hpp>
#include <tandem/backends/cuda/runtime/space.hpp>

/// What runs a plan: one function per engine. Each enqueues a whole problem, already transposed if
/// its plan says so, in as many launches as a grid's limits take. Errors: device_error.
namespace tandem::cuda_impl {

/// Whether the build holds the kernels for sm_90a: wgmma's, and those whose operands TMA loads.
/// Known in the library's own files alone; in a test it is always false.
#ifdef TANDEM_CUDA_SM90A
constexpr bool has_sm90a = true;
#else
constexpr bool has_sm90a = false;
#endif

/// A space's device and the library's build, as plan_matmul sees them.
matmul_device planned_device(const cuda& space);

/// Any of the products that dispatch_matmul takes.
template <class T, class In>
void run_plan(const cuda& space, const reference_plan& plan, const matmul_problem<T, In>& p);

/// float and double.
template <class T>
void run_plan(const cuda& space, const fma_plan& plan, const matmul_problem<T>& p);
template <class T>
void run_plan(const cuda& space, const batched_plan& plan, const matmul_problem<T>& p);

/// float as tf32, half, bf16 and 8-bit integers.
template <class T, class In>
void run_plan(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p);

/// float as products of its bf16 components, 6 or 9 of them as the problem's precision says. The
/// device is of compute capability 9.0; built where the build has kernels for sm_90a.
///
/// Takes 6 bytes of the stream's scratch memory for each element of a and b, rows and columns
/// rounded up to whole tiles; of a large batch as many matrices at a time as 2 GiB hold.
void run_bf16x(const cuda& space, const matmul_problem<float>& problem);

}  // namespace tandem::cuda_impl
