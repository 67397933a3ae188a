// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variant of unless_large() for 8 lanes, compiled with -mavx512f (cmake/targets.cmake).
#include <tandem/core/math/large_angles.hpp>

#if defined(__AVX512F__) && defined(__ELF__)

#include <immintrin.h>

namespace tandem::host {

[[gnu::used]] __m512d replaced(__m512d values, __m512d x, __m512d function) noexcept
    asm("_ZGVeN8vvv_tandem_unless_large");

__m512d replaced(__m512d values, __m512d x, __m512d function) noexcept {
  const unsigned large = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(0x1p20), _CMP_NLE_UQ);
  if (large != 0) [[unlikely]] {
    replace_values(reinterpret_cast<double*>(&values), reinterpret_cast<const double*>(&x),
                   reinterpret_cast<const double*>(&function), large);
  }
  return values;
}

}  // namespace tandem::host

#endif
