// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/math/large_angles.hpp>

#if defined(__x86_64__) && defined(__ELF__)

#include <tandem/core/math/trigonometric.hpp>

#include <bit>

#include <immintrin.h>

// Called by code for AVX2 and FMA alone. The instruction set is a function's here, and value_at()
// is flattened: what is inlined is compiled for the set, and a shared copy of an inline function
// is not.
namespace tandem::host {

namespace {

using detail::math::function_of_angle;

[[gnu::target("avx2,fma"), gnu::flatten, gnu::noinline]] double value_at(double x,
                                                                         double function) {
  const detail::math::reduced_angle angle = detail::math::reduce(x);
  if (function == function_of_angle::tan) return tan_of(angle);
  return function == function_of_angle::cos ? cos_of(angle) : sin_of(angle);
}

/// Replaces values[i] for each set bit i of `large`.
template <class Vector>
[[gnu::target("avx2,fma"), gnu::noinline]] void replace(Vector& values, const Vector& x,
                                                        const Vector& function, int large) {
  for (auto left = static_cast<unsigned>(large); left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    values[i] = value_at(x[i], function[i]);
  }
}

constexpr double largest_small = 0x1p20;

}  // namespace

// Under other names than the header's, whose attribute would have g++ define variants as well.
// They are used where the compiler cannot see it before it vectorises.
[[gnu::used, gnu::target("avx2,fma")]] double replaced(double value, double x,
                                                       double function) noexcept
    asm("tandem_unless_large");
[[gnu::used, gnu::target("avx2,fma")]] __m128d replaced(__m128d values, __m128d x,
                                                        __m128d function) noexcept
    asm("_ZGVbN2vvv_tandem_unless_large");
[[gnu::used, gnu::target("avx2,fma")]] __m256d replaced(__m256d values, __m256d x,
                                                        __m256d function) noexcept
    asm("_ZGVdN4vvv_tandem_unless_large");
[[gnu::used, gnu::target("avx512f")]] __m512d replaced(__m512d values, __m512d x,
                                                       __m512d function) noexcept
    asm("_ZGVeN8vvv_tandem_unless_large");

double replaced(double value, double x, double function) noexcept {
  return abs(x) <= largest_small ? value : value_at(x, function);
}

__m128d replaced(__m128d values, __m128d x, __m128d function) noexcept {
  const __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), x);
  const int large = _mm_movemask_pd(_mm_cmp_pd(size, _mm_set1_pd(largest_small), _CMP_NLE_UQ));
  if (large != 0) [[unlikely]]
    replace(values, x, function, large);
  return values;
}

__m256d replaced(__m256d values, __m256d x, __m256d function) noexcept {
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  const int large =
      _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(largest_small), _CMP_NLE_UQ));
  if (large != 0) [[unlikely]]
    replace(values, x, function, large);
  return values;
}

__m512d replaced(__m512d values, __m512d x, __m512d function) noexcept {
  const int large =
      _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(largest_small), _CMP_NLE_UQ);
  if (large != 0) [[unlikely]]
    replace(values, x, function, large);
  return values;
}

}  // namespace tandem::host

#endif
