// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/atomic.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/numbers/fixed_point.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tandem {

/// A reproducible sum to which the threads of a kernel add in any order: integers at one scale,
/// added atomically (core/numbers/fixed_point.hpp).
///
///   const auto scale = tandem::order_free_sum<float>::scale(1.0f, 4 * particles);
///   tandem::array<tandem::order_free_sum<float>> cells(n, {});
///   const auto c = cells.view();
///   tandem::parallel_for(particles, TANDEM_LAMBDA(int p) { c(cell_of(p)).add(scale, mass(p)); });
///   tandem::parallel_for(n, TANDEM_LAMBDA(int i) { density(i) = c(i).value(scale); });
///
/// A cell with the value {} is empty; one without a value is uninitialised, like the elements of an
/// array. All terms of a cell must be added with one scale, which kernels capture. Of n terms and a
/// bound M, terms below n M 2^-63 (float) or n^2 M 2^-126 (double) are lost.
///
/// T  float (a cell has 16 bytes) or double (24). Terms of half and bf16 are floats
template <std::floating_point T>
  requires(sizeof(T) <= 8)
struct order_free_sum {
  /// The sums of the terms' integers, modulo 2^64.
  std::uint64_t limbs[fixed_point<T>::limbs];
  /// Flags of the terms that have no such integers, weight_flag or'ed together.
  std::uint32_t flags;

  /// Returns the scale for terms with magnitudes up to `bound` and cells with at most `terms`
  /// terms. The error of each term is at most half a unit of 2^-q, q = 62 - ceil(log2(terms)) - E
  /// for a bound in (2^(E - 1), 2^E]; for double, of 2^-(q + 63 - ceil(log2(terms))).
  ///
  /// @param bound  finite and not negative, in the unit of the terms
  /// @param terms  of one cell, 1 to 2^62; the terms of a cell that is merged into another count
  ///               for that one
  /// Errors        argument_error if bound or terms is out of range
  static fixed_point<T> scale(T bound, index_t terms) {
    detail::require(bound >= 0 && bound <= detail::largest_of<T>, "order_free_sum",
                    "the bound is negative, infinite or NaN");
    detail::require(terms >= 1 && terms <= index_t{1} << 62, "order_free_sum",
                    "the number of terms is not in 1 .. 2^62");
    return fixed_point<T>(bound, terms);
  }

  /// Adds a term, atomically. An infinity, a NaN and a term above 2^E, which exceeds the scale, are
  /// not converted to integers; they determine value().
  ///
  /// Complexity  one atomic addition of 64 bits for float, two for double
  TANDEM_FUNCTION void add(const fixed_point<T>& scale, T term) {
    if (!scale.holds(term)) {
      const std::uint32_t flag = classify_weight(term);
      atomic_or(flags, flag == weight_is_finite ? weight_is_too_large : flag);
      return;
    }
    std::uint64_t parts[fixed_point<T>::limbs];
    scale.split(term, parts);
    for (std::size_t k = 0; k < fixed_point<T>::limbs; ++k) atomic_add(limbs[k], parts[k]);
  }

  /// Atomically adds another cell of the same scale, to which no thread may add concurrently.
  ///
  /// Complexity  as for a term
  TANDEM_FUNCTION void merge(const order_free_sum& other) {
    for (std::size_t k = 0; k < fixed_point<T>::limbs; ++k) atomic_add(limbs[k], other.limbs[k]);
    if (other.flags != weight_is_finite) atomic_or(flags, other.flags);
  }

  /// Returns the sum, once all threads have added. NaN if a term was NaN or too large for the
  /// scale, or if infinities of both signs were added; otherwise an infinity that was added. A sum
  /// of more terms than the scale allows may have wrapped around.
  TANDEM_FUNCTION T value(const fixed_point<T>& scale) const {
    return flags == weight_is_finite ? scale.join(limbs) : sum_of_flags<T>(flags);
  }
};

}  // namespace tandem
