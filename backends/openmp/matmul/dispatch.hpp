// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdint>

namespace tandem {

class openmp;

/// Computes a matmul on the CPU, packed and blocked, with the widest vectors that the CPU has. The
/// bits depend neither on the number of threads nor on the instruction set. matmul_kernel::naive
/// computes one element after another; `tiled` copies square tiles of a and b to the L1.
///
/// Returns when c is written. The calling thread keeps the scratch for its next call, in proportion
/// to the number of threads: some MiB for a single thread.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem);

/// Computes matmuls of 16-bit floats. bf16 runs on AVX-512 BF16 if that is fast and its sums have
/// the bits of chains of fused multiply-adds (packed_terms/bf16/pair_product.hpp). Otherwise the
/// kernels of floats widen the elements of a and b as they pack or load them, and round results to
/// 16 bits while they are in a cache.
///
/// Scratch: as for floats. Pairs of bf16 take at most 64 MiB more, or 2 (m k + k n) bytes if one
/// entry of the batch needs more than that.
/// Errors: out_of_memory_error for the scratch; c is unchanged then, but some entries of a batch of
/// bf16 may be finished.
void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem);
void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem);

/// Computes a matmul of 8-bit integers, exact modulo 2^32. a and b are packed first, several terms
/// of k per element of 32 bits: four for AMX, AVX-512 VNNI and AVX-VNNI, whose instructions
/// multiply and add four bytes per lane, otherwise two. A product of such elements is blocked like
/// one of floats.
///
/// Scratch: that of a product of floats with a quarter of the terms, plus the bytes of a and b of
/// every entry of the batch, with k rounded up to 4 and 4 bytes more per row of a. With AMX, k is
/// rounded up to 64 and a row of a has 64 bytes more. Without any of these instructions it is twice
/// as much. The calling thread keeps up to 64 MiB of it.
/// Errors: out_of_memory_error for the scratch; c is unchanged then.
void dispatch_matmul(const openmp& space, const matmul_problem<std::int32_t, std::int8_t>& problem);

}  // namespace tandem
