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

/// Whether it multiplies tiles of 8-bit integers (AMX-INT8, with x86-64-v4), and Linux lets this
/// process use them: it is asked, for all threads and for good. From then on it refuses alternate
/// stacks for signals that could not hold the tiles' 8 KiB.
bool has_amx_int8();

/// Whether it multiplies and adds up pairs of bf16 in vectors of 512 bits (AVX-512 BF16 with
/// x86-64-v4).
bool has_avx512_bf16();

/// Whether that takes no longer than to multiply and add up floats. AMD's processors do as many of
/// these instructions in a cycle as of those (Zen 5: two), Intel's a quarter (Sapphire Rapids), so
/// that products of pairs take twice as long as those of the same numbers as floats.
bool has_fast_avx512_bf16();

}  // namespace tandem::openmp_impl
