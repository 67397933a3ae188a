// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/math/large_angles.hpp>

#if defined(__x86_64__) && defined(__ELF__)

#include <tandem/core/math/trigonometric.hpp>

#include <bit>

namespace tandem::host {

namespace {

using detail::math::function_of_angle;

/// Called by code for AVX2 and FMA alone. Flattened, so that what is inlined is compiled for them,
/// and a shared copy of an inline function is not.
[[gnu::target("avx2,fma"), gnu::flatten, gnu::noinline]] double value_at(double x,
                                                                         double function) {
  const detail::math::reduced_angle angle = detail::math::reduce(x);
  if (function == function_of_angle::tan) return tan_of(angle);
  return function == function_of_angle::cos ? cos_of(angle) : sin_of(angle);
}

}  // namespace

// Under another name than the header's, whose attribute would have g++ define variants as well. It
// is used where the compiler cannot see it before it vectorises.
[[gnu::used, gnu::target("avx2,fma")]] double replaced(double value, double x,
                                                       double function) noexcept
    asm("tandem_unless_large");

double replaced(double value, double x, double function) noexcept {
  return abs(x) <= 0x1p20 ? value : value_at(x, function);
}

void replace_values(double* values, const double* x, const double* function,
                    unsigned large) noexcept {
  for (; large != 0; large &= large - 1) {
    const int i = std::countr_zero(large);
    values[i] = value_at(x[i], function[i]);
  }
}

}  // namespace tandem::host

#endif
