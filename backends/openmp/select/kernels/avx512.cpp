// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/select/kernels/compress.hpp>

#include <cstdint>
#include <cstring>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// Returns the flags of 16 elements as bits.
unsigned flag_bits(const bool* flags) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags));
  return _mm_test_epi8_mask(bytes, bytes);
}

/// Compresses the elements after the last 16.
template <class Word>
std::ptrdiff_t compress_rest(const char* x, const bool* flags, std::ptrdiff_t count, char* kept) {
  std::ptrdiff_t k = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (!flags[i]) continue;
    std::memcpy(kept + k * std::ptrdiff_t{sizeof(Word)}, x + i * std::ptrdiff_t{sizeof(Word)},
                sizeof(Word));
    ++k;
  }
  return k;
}

// Registers are compressed and stored whole: a compressing store to memory is microcoded.
std::ptrdiff_t compress_words(const void* x, const bool* flags, std::ptrdiff_t count, void* kept) {
  const char* const from = static_cast<const char*>(x);
  char* const to = static_cast<char*>(kept);
  std::ptrdiff_t k = 0;
  std::ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const unsigned bits = flag_bits(flags + i);
    const __m512i words = _mm512_loadu_si512(from + 4 * i);
    _mm512_storeu_si512(to + 4 * k,
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), words));
    k += __builtin_popcount(bits);
  }
  return k + compress_rest<std::uint32_t>(from + 4 * i, flags + i, count - i, to + 4 * k);
}

std::ptrdiff_t compress_double_words(const void* x, const bool* flags, std::ptrdiff_t count,
                                     void* kept) {
  const char* const from = static_cast<const char*>(x);
  char* const to = static_cast<char*>(kept);
  std::ptrdiff_t k = 0;
  std::ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const unsigned bits = flag_bits(flags + i);
    for (int half = 0; half < 2; ++half) {
      const unsigned own = bits >> (8 * half) & 0xffu;
      const __m512i words = _mm512_loadu_si512(from + 8 * (i + 8 * half));
      _mm512_storeu_si512(to + 8 * k,
                          _mm512_maskz_compress_epi64(static_cast<__mmask8>(own), words));
      k += __builtin_popcount(own);
    }
  }
  return k + compress_rest<std::uint64_t>(from + 8 * i, flags + i, count - i, to + 8 * k);
}

}  // namespace

constinit const compress_kernels compress_kernels::avx512 = {.words = compress_words,
                                                             .double_words = compress_double_words};

}  // namespace tandem::openmp_impl
