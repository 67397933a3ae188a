// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem::openmp_impl {

/// Instruction sets for which kernels are compiled in files of their own (openmp.cmake), each with
/// all before it: the compiler's default, x86-64-v3, x86-64-v4.
enum class instruction_set { baseline, avx2, avx512 };

/// The widest instruction set of this processor.
instruction_set widest_instruction_set();

/// Whether this processor has dot products of 8-bit integers in vectors of 512 bits (AVX-512 VNNI
/// with x86-64-v4), or of 256 bits (AVX-VNNI with x86-64-v3).
bool has_avx512_vnni();
bool has_avx_vnni();

/// Whether this processor multiplies tiles of 8-bit integers (AMX-INT8, with x86-64-v4), and Linux
/// lets this process use them. The call requests that permission for all threads and for good:
/// afterwards Linux refuses alternate signal stacks that cannot hold the tiles' 8 KiB.
bool has_amx_int8();

/// Whether this processor has dot products of bf16 pairs in vectors of 512 bits (AVX-512 BF16 with
/// x86-64-v4).
bool has_avx512_bf16();

/// Whether a dot product of bf16 pairs has the throughput of a fused multiply-add of floats. AMD's
/// processors issue as many per cycle (Zen 5: two), Intel's a quarter (Sapphire Rapids), so that
/// the bf16 product takes twice as long there as one of the same numbers widened to floats.
bool has_fast_avx512_bf16();

}  // namespace tandem::openmp_impl
