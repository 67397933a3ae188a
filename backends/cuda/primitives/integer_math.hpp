// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Integer arithmetic of launch plans and kernels. Plain C++, tested on the host.
namespace tandem::cuda_impl {

/// Division by a number that is the same for all threads, as a multiplication and a shift: exact
/// for quotients of numbers below 2^31.
/// Source: Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.
struct fast_divisor {
  unsigned multiplier = 1u << 31;  ///< ceil(2^shift / divisor)
  int shift = 31;

  TANDEM_FUNCTION constexpr unsigned quotient(unsigned number) const {
    return static_cast<unsigned>((static_cast<unsigned long long>(number) * multiplier) >> shift);
  }
};

/// The fast_divisor of `divisor`, which is 1 to 2^31 - 1.
///
/// With 2^(l - 1) < divisor <= 2^l and a shift of 31 + l the multiplier exceeds 2^shift / divisor
/// by less than 1, which is too little for any number below 2^31 to reach the next quotient.
constexpr fast_divisor divide_by(unsigned divisor) {
  fast_divisor by;
  int l = 0;
  while ((1ull << l) < divisor) ++l;
  by.shift = 31 + l;
  by.multiplier = static_cast<unsigned>(((1ull << by.shift) + divisor - 1) / divisor);
  return by;
}

/// The smallest power of two that is at least n, or `most`, itself a power of two, if that is
/// smaller.
constexpr int power_of_two_for(index_t n, int most) {
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

}  // namespace tandem::cuda_impl
