// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variants of unless_large() for 2 and 4 lanes, compiled with -mavx2 (cmake/targets.cmake).
#include <tandem/core/math/large_angles.hpp>

#if defined(__AVX2__) && defined(__ELF__)

#include <immintrin.h>

namespace tandem::host {

[[gnu::used]] __m128d replaced(__m128d values, __m128d x, __m128d function) noexcept
    asm("_ZGVbN2vvv_tandem_unless_large");
[[gnu::used]] __m256d replaced(__m256d values, __m256d x, __m256d function) noexcept
    asm("_ZGVdN4vvv_tandem_unless_large");

__m128d replaced(__m128d values, __m128d x, __m128d function) noexcept {
  const __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), x);
  const int large = _mm_movemask_pd(_mm_cmp_pd(size, _mm_set1_pd(0x1p20), _CMP_NLE_UQ));
  if (large != 0) [[unlikely]] {
    replace_values(reinterpret_cast<double*>(&values), reinterpret_cast<const double*>(&x),
                   reinterpret_cast<const double*>(&function), static_cast<unsigned>(large));
  }
  return values;
}

__m256d replaced(__m256d values, __m256d x, __m256d function) noexcept {
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  const int large = _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(0x1p20), _CMP_NLE_UQ));
  if (large != 0) [[unlikely]] {
    replace_values(reinterpret_cast<double*>(&values), reinterpret_cast<const double*>(&x),
                   reinterpret_cast<const double*>(&function), static_cast<unsigned>(large));
  }
  return values;
}

}  // namespace tandem::host

#endif
