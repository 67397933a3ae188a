// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/math/large_angles.hpp>

#if defined(__x86_64__) && defined(__ELF__)

#include <tandem/core/math/trigonometric.hpp>

#include <bit>

namespace tandem::host {

namespace {

using detail::math::function_of_angle;

/// Called only by code for AVX2 and FMA. Flattened, so that inlined code is compiled for these
/// sets, which a shared copy of an inline function is not.
[[gnu::target("avx2,fma"), gnu::flatten, gnu::noinline]] double value_at(double x,
                                                                         double function) {
  const detail::math::reduced_angle angle = detail::math::reduce(x);
  if (function == function_of_angle::tan) return tan_of(angle);
  return function == function_of_angle::cos ? cos_of(angle) : sin_of(angle);
}

}  // namespace

// Named differently from the header's declaration, whose attribute would make g++ define variants
// too. It is used whenever the compiler cannot see the definition before it vectorises.
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
