// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan.hpp>
#include <tandem/backends/cuda/runtime/space.hpp>

/// Runs plans, with one function per engine. Each enqueues a whole problem, already transposed if
/// its plan says so, in as many launches as the grid limits require. Errors: device_error.
namespace tandem::cuda_impl {

/// Whether the build contains the kernels for sm_90a: those of wgmma, and those whose operands TMA
/// loads. Known only in the library's files; in a test it is always false.
#ifdef TANDEM_CUDA_SM90A
constexpr bool has_sm90a = true;
#else
constexpr bool has_sm90a = false;
#endif

/// Returns a space's device and the library's build, as plan_matmul needs them.
matmul_device planned_device(const cuda& space);

/// For every product that dispatch_matmul accepts.
template <class T, class In>
void run_plan(const cuda& space, const reference_plan& plan, const matmul_problem<T, In>& p);

/// For float and double.
template <class T>
void run_plan(const cuda& space, const fma_plan& plan, const matmul_problem<T>& p);
template <class T>
void run_plan(const cuda& space, const batched_plan& plan, const matmul_problem<T>& p);

/// For every type but 8-bit integers.
template <class T, class In>
void run_plan(const cuda& space, const few_rows_plan& plan, const matmul_problem<T, In>& p);

/// For float as tf32, half, bf16 and 8-bit integers.
template <class T, class In>
void run_plan(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p);

/// For float as products of its bf16 components, 6 or 9 of them depending on the problem's
/// precision. Requires a device of compute capability 9.0; built only if the build has kernels for
/// sm_90a.
///
/// Takes 6 bytes of the stream's scratch memory per element of a and b, with rows and columns
/// rounded up to whole tiles. A large batch is processed in passes of as many matrices as fit into
/// 2 GiB.
void run_bf16x(const cuda& space, const matmul_problem<float>& problem);

}  // namespace tandem::cuda_impl
