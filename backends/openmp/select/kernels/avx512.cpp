// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4; runs only on CPUs that have it (openmp.cmake).
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

/// Compresses 16 elements at a time by compress_16(flags as bits, from, to), which returns how many
/// are kept, and then the rest.
template <class Word, class Compress16>
std::ptrdiff_t compress(const void* x, const bool* flags, std::ptrdiff_t count, void* kept,
                        const Compress16& compress_16) {
  constexpr std::ptrdiff_t bytes = sizeof(Word);
  const char* const from = static_cast<const char*>(x);
  char* const to = static_cast<char*>(kept);
  std::ptrdiff_t k = 0;
  std::ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16)
    k += compress_16(flag_bits(flags + i), from + bytes * i, to + bytes * k);
  return k + compress_rest<Word>(from + bytes * i, flags + i, count - i, to + bytes * k);
}

// Registers are compressed and stored as a whole: a compressing store to memory is microcoded.
std::ptrdiff_t compress_words(const void* x, const bool* flags, std::ptrdiff_t count, void* kept) {
  return compress<std::uint32_t>(
      x, flags, count, kept, [](unsigned bits, const char* from, char* to) {
        const __m512i words = _mm512_loadu_si512(from);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), words));
        return __builtin_popcount(bits);
      });
}

std::ptrdiff_t compress_double_words(const void* x, const bool* flags, std::ptrdiff_t count,
                                     void* kept) {
  return compress<std::uint64_t>(
      x, flags, count, kept, [](unsigned bits, const char* from, char* to) {
        const auto half = [](unsigned own, const char* source, char* target) {
          const __m512i words = _mm512_loadu_si512(source);
          _mm512_storeu_si512(target,
                              _mm512_maskz_compress_epi64(static_cast<__mmask8>(own), words));
          return __builtin_popcount(own);
        };
        const int first = half(bits & 0xffu, from, to);
        return first + half(bits >> 8, from + 64, to + std::ptrdiff_t{8} * first);
      });
}

}  // namespace

constinit const compress_kernels compress_kernels::avx512 = {.words = compress_words,
                                                             .double_words = compress_double_words};

}  // namespace tandem::openmp_impl
