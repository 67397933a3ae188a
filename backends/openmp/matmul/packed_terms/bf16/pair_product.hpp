// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/bf16/kernels.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/numbers/half.hpp>

#include <optional>

namespace tandem::openmp_impl {

/// Returns the kernels for bf16 that this CPU can run, if their sums are the canonical chains; else
/// null.
const bf16_kernels* usable_bf16_kernels();

/// Returns usable_bf16_kernels() if they are faster than the kernels for floats; else null.
const bf16_kernels* fast_bf16_kernels();

/// Packs a and b of a matmul that has elements, c of floats or bf16, in pairs of terms, with at
/// most `threads` threads. Returns the product of the pairs, for run_oriented() with the kernels of
/// the same instruction set, if all its results have the bits of chains of fused multiply-adds in
/// floats for certain. Whether they have is known when all elements are packed: finding the range
/// of the operands before would read them twice.
///
/// The instruction adds the exact product of two bf16 to a float and rounds to nearest, once, which
/// is a fused multiply-add unless an operand, the product or the sum is subnormal, of which it
/// makes zeros, or the product overflows. Let ea and eb be the least exponents of elements of a and
/// b that are not 0, all of them normal. Elements are multiples of 2^(ea-7) and 2^(eb-7), so that
/// products are multiples of u = 2^(ea+eb-14), and so are all sums from +0: rounding keeps
/// multiples of u, since it cuts nothing where a unit in the last place is below u. With u >=
/// 2^-126 nothing but 0 is smaller in magnitude than the least normal number. Nor can a sum be -0,
/// so that a term of zeros after the last one of an odd k changes nothing.
///
/// Operands whose magnitudes lie within a factor of 2^56 around 1 always qualify. Infinities, NaNs,
/// subnormal numbers and wider ranges of exponents do not.
///
/// Scratch: 2 (m k + k n) bytes for each entry, which the thread keeps until the caller trims
/// own_scratch.packed.
/// Errors: out_of_memory_error.
template <class T>
std::optional<matmul_problem<T, float>> pack_bf16_pairs(int threads,
                                                        const matmul_problem<T, bf16>& problem,
                                                        const bf16_kernels& kernels);

/// Takes the scratch that pack_bf16_pairs() and the product of the pairs need.
/// Errors: out_of_memory_error.
template <class T>
void reserve_bf16_matmul(int threads, const matmul_problem<T, bf16>& problem,
                         const bf16_kernels& kernels);

}  // namespace tandem::openmp_impl
