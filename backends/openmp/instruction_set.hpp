// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::openmp_impl {

/// For what kernels are compiled in files of their own (openmp.cmake), each with all before it:
/// nothing beyond the compiler's default, x86-64-v3, x86-64-v4.
enum class instruction_set { baseline, avx2, avx512 };

/// The widest that this processor has.
instruction_set widest_instruction_set();

/// Whether this processor multiplies and adds up 8-bit integers, in vectors of 512 bits (AVX-512
/// VNNI with x86-64-v4), or of 256 (AVX-VNNI with x86-64-v3).
bool has_avx512_vnni();
bool has_avx_vnni();

}  // namespace tandem::openmp_impl
