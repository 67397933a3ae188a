// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 -mavx512bf16 -mprefer-vector-width=512; runs only on CPUs that
// have it (openmp.cmake).
#include <tandem/backends/openmp/matmul/kernels/block.hpp>
#include <tandem/backends/openmp/matmul/kernels/lanes_avx512.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/pack_kernel.hpp>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// vdpbf16ps adds the product of the upper halves first, then that of the lower halves, each with
/// one rounding: two terms of a chain, if the first of them is in the upper half.
struct bf16_pairs {
  using source = bf16;
  using element = float;
  static constexpr int terms = 2;
  static std::uint32_t part(bf16 x, int r) {
    return std::uint32_t{__builtin_bit_cast(std::uint16_t, x)} << (16 * (1 - r));
  }
  static float load(const bf16* p) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, p, sizeof bits);
    return __builtin_bit_cast(float, bits << 16 | bits >> 16);
  }
};

struct lanes_bf16 : sixteen_float_lanes {
  static vector dot(vector a, vector b, vector sum) {
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
  }
};

/// Returns the largest of a vector's 16-bit integers and `least`.
std::uint16_t largest_of(__m512i x, std::uint16_t least) {
  std::uint16_t lanes[32];
  __builtin_memcpy(lanes, &x, sizeof x);
  for (const std::uint16_t lane : lanes) least = lane > least ? lane : least;
  return least;
}

void widen_range(const float* packed, std::int64_t count, bf16_range& range) {
  const __m512i magnitude = _mm512_set1_epi16(0x7fff);
  const __m512i zero = _mm512_setzero_si512();
  __m512i largest = zero;
  __m512i smallest = zero;
  for (std::int64_t l = 0; l < count; l += 16) {
    const int here = static_cast<int>(count - l < 16 ? count - l : 16);
    const __m512i x = (__m512i)lanes_bf16::load_part(packed + l, lanes_bf16::first(here));
    largest = _mm512_max_epu16(largest, _mm512_and_si512(x, magnitude));
    smallest = _mm512_max_epu16(smallest, _mm512_and_si512(_mm512_sub_epi16(zero, x), magnitude));
  }
  range.largest = largest_of(largest, range.largest);
  range.smallest = largest_of(smallest, range.smallest);
}

// As for floats (kernels/avx512.cpp): the instruction has the same throughput.
constexpr int rows = 8;
constexpr int vectors = 3;

}  // namespace

constinit const bf16_kernels bf16_kernels::avx512_bf16 = {
    .pairs = {.products = make_matmul_kernels<lanes_bf16, rows, vectors>(
                  "avx512_bf16", matmul_chunk / bf16_pairs::terms),
              .terms = bf16_pairs::terms,
              .pack_a = pack_terms_of_a<bf16_pairs>,
              .pack_b = pack_terms_of_b<bf16_pairs>,
              .start = nullptr},
    .widen = widen_range};

}  // namespace tandem::openmp_impl
