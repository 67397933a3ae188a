// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdint>

namespace tandem {

class cuda;

/// Multiplies matrices in stream order, with the engine that plan_matmul (plan.hpp) chooses. Does
/// not block. Prints the plan if TANDEM_EXPLAIN=1 is set in the environment.
/// Errors: device_error, out_of_memory_error for copies of operands and totals of slices.
void dispatch_matmul(const cuda& space, const matmul_problem<float>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<double>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<half>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<bf16>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<std::int32_t, std::int8_t>& problem);

/// Adds the chains of a product's chunks, in ascending order, to the totals of earlier terms in c:
/// c = (c + chain_0) + chain_1 + .. Uses neither alpha, beta, bias nor activation. Returns whether
/// it has enqueued that: not all extents, strides and devices have a kernel for it.
/// Errors: device_error, out_of_memory_error for a copy of b.
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float>& problem);
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<double>& problem);
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float, half>& problem);
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float, bf16>& problem);

}  // namespace tandem
