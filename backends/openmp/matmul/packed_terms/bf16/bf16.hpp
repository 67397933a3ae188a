// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/bf16/kernels.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/half.hpp>

namespace tandem::openmp_impl {

/// Returns the kernels for bf16 that this CPU can run, if their sums are the canonical chains; else
/// null.
const bf16_kernels* usable_bf16_kernels();

/// Returns usable_bf16_kernels() if they are faster than the kernels for floats; else null.
const bf16_kernels* fast_bf16_kernels();

/// Computes a matmul, c of floats or bf16, with at most `threads` threads and the kernels of one
/// instruction set, if all results have the bits of chains of fused multiply-adds in floats for
/// certain.
///
/// The instruction adds the exact product of two bf16 to a float and rounds to nearest, once, which
/// is a fused multiply-add unless an operand, the product or the sum is subnormal, of which it
/// makes zeros, or the product overflows. Let ea and eb be the least exponents of elements of a and
/// b that are not 0, all of them normal. Elements are multiples of 2^(ea-7) and 2^(eb-7), so that
/// products are multiples of u = 2^(ea+eb-14), and so are all sums from +0: rounding keeps
/// multiples of u, since it cuts nothing where a unit in the last place is below u. With u >=
/// 2^-126 nothing but 0 is smaller in magnitude than the least normal number. Nor can a sum be -0,
/// so that a term of zeros behind the last one of an odd k changes nothing.
///
/// Operands whose magnitudes lie within a factor of 2^56 around 1 always qualify. Infinities, NaNs,
/// subnormal numbers and wider ranges of exponents do not.
///
/// Returns false where that is not certain, or the problem asks for the naive kernel; c is
/// unchanged then.
/// Scratch: 2 (m k + k n) bytes for each entry, which the thread keeps until the caller trims
/// own_scratch.packed.
/// Errors: out_of_memory_error; c is unchanged then.
template <class T>
bool run_bf16_matmul(int threads, const matmul_problem<T, bf16>& problem,
                     const bf16_kernels& kernels);

/// Takes the scratch that run_bf16_matmul() needs. Errors: out_of_memory_error.
template <class T>
void reserve_bf16_matmul(int threads, const matmul_problem<T, bf16>& problem,
                         const bf16_kernels& kernels);

}  // namespace tandem::openmp_impl
