// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <tandem/backends/openmp/random/kernels/table.hpp>

/// Normal variables of floats in vectors; compilers would read the table one coefficient at a time.
/// Everything has internal linkage, so that the file of each instruction set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

#if defined(__AVX2__)

using word_lanes [[gnu::vector_size(32)]] = std::uint32_t;
using signed_lanes [[gnu::vector_size(32)]] = std::int32_t;
using float_lanes [[gnu::vector_size(32)]] = float;

/// detail::half_step() in each lane.
[[gnu::always_inline]] inline float_lanes half_steps(word_lanes k) {
  return (__builtin_convertvector((signed_lanes)k, float_lanes) + 0.5f) * 0x1p-31f;
}

/// Coefficients of eight rows of normal_cubics; each vector holds those of one degree.
struct cubic_lanes {
  __m256 of[4];
};

/// Loads rows by their offsets in bytes, each by one instruction, and transposes them. A gather
/// takes as many loads as there are coefficients.
[[gnu::always_inline]] inline cubic_lanes load_cubics(word_lanes offsets) {
  alignas(32) std::uint32_t offset[8];
  __builtin_memcpy(offset, &offsets, sizeof offset);
  const auto* const begin = reinterpret_cast<const char*>(host::cubics.rows);
  const auto row = [&](int lane) {
    return _mm_load_ps(reinterpret_cast<const float*>(begin + offset[lane]));
  };
  const __m256 a = _mm256_set_m128(row(4), row(0));
  const __m256 b = _mm256_set_m128(row(5), row(1));
  const __m256 c = _mm256_set_m128(row(6), row(2));
  const __m256 d = _mm256_set_m128(row(7), row(3));
  const __m256 low_ab = _mm256_unpacklo_ps(a, b);
  const __m256 low_cd = _mm256_unpacklo_ps(c, d);
  const __m256 high_ab = _mm256_unpackhi_ps(a, b);
  const __m256 high_cd = _mm256_unpackhi_ps(c, d);
  return {{_mm256_shuffle_ps(low_ab, low_cd, 0x44), _mm256_shuffle_ps(low_ab, low_cd, 0xee),
           _mm256_shuffle_ps(high_ab, high_cd, 0x44), _mm256_shuffle_ps(high_ab, high_cd, 0xee)}};
}

/// detail::standard_normal() in each lane.
[[gnu::always_inline]] inline __m256 standard_normals(word_lanes words) {
  using detail::normal_cubics;
  constexpr std::uint32_t lower = (1u << normal_cubics::row_shift) - 1;
  const word_lanes magnitude = words ^ (word_lanes)((signed_lanes)words >> 31);
  const float_lanes tail = half_steps(magnitude ^ 0x7fffffffu);
  const word_lanes row = ((word_lanes)tail >> normal_cubics::row_shift) - normal_cubics::first_row;
  const cubic_lanes p = load_cubics(row * std::uint32_t{sizeof(detail::cubic)});
  const __m256 d = (__m256)(tail - (float_lanes)((word_lanes)tail & ~lower));
  const __m256 outer = _mm256_fmadd_ps(_mm256_fmadd_ps(p.of[3], d, p.of[2]), d, p.of[1]);
  const float_lanes z = half_steps(magnitude) * (float_lanes)_mm256_fmadd_ps(outer, d, p.of[0]);
  return (__m256)((word_lanes)z | (words & 0x80000000u));
}

/// Writes the first variables of a tile and returns their number, at most seven fewer than the tile
/// has.
inline int fill_vectors(const detail::normal_sampler<float>& sampler, const std::uint32_t* words,
                        int count, float* to) {
  const __m256 mean = _mm256_set1_ps(sampler.mean);
  const __m256 deviation = _mm256_set1_ps(sampler.deviation);
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    word_lanes lanes;
    __builtin_memcpy(&lanes, words + i, sizeof lanes);
    _mm256_storeu_ps(to + i, _mm256_fmadd_ps(deviation, standard_normals(lanes), mean));
  }
  return i;
}

#endif

/// Compilers vectorise the other samplers without help.
template <class Sampler>
int fill_vectors(const Sampler&, const std::uint32_t*, int, typename Sampler::value_type*) {
  return 0;
}

}  // namespace
}  // namespace tandem::openmp_impl
