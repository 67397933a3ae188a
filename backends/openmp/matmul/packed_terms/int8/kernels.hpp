// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

/// Products of 8-bit integers as products of elements of 32 bits that hold two or four terms each.
namespace tandem::openmp_impl {

using int8_kernels = packed_terms_kernels<std::int8_t, std::int32_t>;

template <>
const int8_kernels int8_kernels::baseline;
template <>
const int8_kernels int8_kernels::avx2;
template <>
const int8_kernels int8_kernels::avx_vnni;
template <>
const int8_kernels int8_kernels::avx512_vnni;
template <>
const int8_kernels int8_kernels::avx512_amx;

/// Computes a matmul of 8-bit integers with at most `threads` threads and the kernels of one
/// instruction set.
void run_int8_matmul(int threads, const matmul_problem<std::int32_t, std::int8_t>& problem,
                     const int8_kernels& kernels);

}  // namespace tandem::openmp_impl
