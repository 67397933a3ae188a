// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/int8/kernels.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// Computes a matmul of 8-bit integers with at most `threads` threads and the kernels of one
/// instruction set.
void run_int8_matmul(int threads, const matmul_problem<std::int32_t, std::int8_t>& problem,
                     const int8_kernels& kernels);

}  // namespace tandem::openmp_impl
