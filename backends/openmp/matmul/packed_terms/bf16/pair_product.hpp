// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/packing.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/numbers/half.hpp>

#include <optional>

namespace tandem::openmp_impl {

/// Returns the kernels for bf16 that this CPU can run, if their sums are the canonical chains;
/// otherwise null.
const bf16_kernels* usable_bf16_kernels();

/// Returns usable_bf16_kernels() if they are faster than the kernels for floats; otherwise null.
const bf16_kernels* fast_bf16_kernels();

/// A product by pairs of terms, c of floats or bf16. One plan serves all problems of a form: the
/// slices of a batch, which differ only in their pointers.
///
/// The instruction adds the exact product of two bf16 to a float and rounds once, to nearest. That
/// is a fused multiply-add unless an operand, the product or the sum is subnormal, which it flushes
/// to zero, or the product overflows. Let ea and eb be the least exponents of nonzero elements of a
/// and b, all of them normal. Elements are multiples of 2^(ea-7) and 2^(eb-7), so products are
/// multiples of u = 2^(ea+eb-14), and so are all sums from +0: rounding keeps multiples of u, since
/// it cuts nothing if a unit in the last place is below u. With u >= 2^-126 nothing but 0 is
/// smaller in magnitude than the least normal number. Nor can a sum be -0, so a term of zeros after
/// the last one of an odd k changes nothing.
///
/// Operands whose magnitudes lie within a factor of 2^56 around 1 always qualify. Infinities, NaNs,
/// subnormal numbers and wider ranges of exponents do not.
///
/// Scratch: 2 (m k + k n) bytes for each entry, which the thread keeps until the caller trims
/// own_scratch.packed, and that of the schedules.
template <class T>
class bf16_product {
 public:
  /// Plans a product that has elements for at most `threads` threads, and reserves the scratch of
  /// its pairs. Errors: out_of_memory_error.
  bf16_product(int threads, const matmul_problem<T, bf16>& problem, const bf16_kernels& kernels);
  bf16_product(const bf16_product&) = delete;
  bf16_product& operator=(const bf16_product&) = delete;

  /// Plans and reserves what run() needs if the pairs cannot be used. run() does so itself; callers
  /// of several products do it before they write the first one. Errors: out_of_memory_error.
  const matmul_schedule& plan_widened();

  /// Moves to another problem of the same form.
  void move_to(const matmul_problem<T, bf16>& problem);

  /// Computes the product by pairs if all its results certainly have the bits of chains of fused
  /// multiply-adds in floats, otherwise by the kernels that widen.
  void run();

  /// Computes the product by pairs if that is certain. Returns whether it is, which it knows once
  /// all elements are packed: finding the range of the operands earlier would read them twice. If
  /// it is not, c is unchanged.
  bool run_pairs() const;

 private:
  float* reserve_packed() const;

  int threads_;
  const bf16_kernels& kernels_;
  matmul_problem<T, bf16> oriented_;
  matmul_packing<T, bf16> packing_;
  matmul_schedule pairs_;
  std::optional<matmul_schedule> widened_;
};

}  // namespace tandem::openmp_impl
