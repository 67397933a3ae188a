// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>

/// Products of 8-bit integers as products of elements of 32 bits that hold two or four terms each.
namespace tandem::openmp_impl {

using int8_kernels = packed_terms_kernels<std::int8_t, std::int32_t>;

#if defined(__x86_64__)
extern const int8_kernels matmul_int8_avx512_amx;
extern const int8_kernels matmul_int8_avx512_vnni;
extern const int8_kernels matmul_int8_avx_vnni;
extern const int8_kernels matmul_int8_avx2;
#endif
extern const int8_kernels matmul_int8_baseline;

}  // namespace tandem::openmp_impl
