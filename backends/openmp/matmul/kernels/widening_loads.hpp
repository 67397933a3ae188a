// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/half.hpp>

#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#endif

/// Loads of operands, converted to the kernels' element type. Everything has internal linkage, as in
/// micro_tile.hpp.
///
/// Form  `source`, what lies in memory, and `element`, what it becomes; read(from, vector), which
///       reads as many consecutive elements as the vector has
namespace tandem::openmp_impl {
namespace {

/// Elements that the kernels multiply unconverted.
template <class T>
struct as_is {
  using source = T;
  using element = T;
  template <class Vector>
  [[gnu::always_inline]] static void read(const T* from, Vector& to) {
    __builtin_memcpy(&to, from, sizeof to);
  }
};

/// As many 16-bit floats as a vector of `Bytes` bytes has floats.
template <int Bytes>
struct widening {
  typedef std::uint16_t narrow __attribute__((vector_size(Bytes / 2)));
  typedef std::uint32_t words __attribute__((vector_size(Bytes)));
};

/// 16-bit floats, which Form::convert<types>(bits, vector) widens to floats.
template <class Form, class Source>
struct sixteen_bits {
  using source = Source;
  using element = float;
  template <class Vector>
  [[gnu::always_inline]] static void read(const Source* from, Vector& to) {
    using types = widening<sizeof(Vector)>;
    typename types::narrow bits;
    __builtin_memcpy(&bits, from, sizeof bits);
    Form::template convert<types>(bits, to);
  }
};

/// bf16 is the upper half of a float.
struct from_bf16 : sixteen_bits<from_bf16, bf16> {
  template <class Types, class Vector>
  [[gnu::always_inline]] static void convert(const typename Types::narrow& bits, Vector& to) {
    to = __builtin_bit_cast(Vector, __builtin_convertvector(bits, typename Types::words) << 16);
  }
};

struct from_half : sixteen_bits<from_half, half> {
#if defined(__F16C__)
  /// A NaN becomes a quiet one here, which else it becomes as it is multiplied. Masks of all lanes
  /// keep g++ 12 from a false warning.
  template <class Types, class Vector>
  [[gnu::always_inline]] static void convert(const typename Types::narrow& bits, Vector& to) {
    if constexpr (sizeof bits == 8) {
      to = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&bits)));
    } else if constexpr (sizeof bits == 16) {
      to = _mm256_cvtph_ps(__builtin_bit_cast(__m128i, bits));
    } else {
#if defined(__AVX512F__)
      to = _mm512_maskz_cvtph_ps(0xffff, __builtin_bit_cast(__m256i, bits));
#endif
    }
  }
#else
  /// 2^112 moves the exponent from half's bias to float's and normalises what was subnormal.
  template <class Types, class Vector>
  [[gnu::always_inline]] static void convert(const typename Types::narrow& bits, Vector& to) {
    using words = typename Types::words;
    const words wide = __builtin_convertvector(bits, words);
    const words magnitude = (wide & 0x7fffu) << 13;
    const Vector scaled = __builtin_bit_cast(Vector, magnitude) * 0x1p112f;
    const words sign = (wide & 0x8000u) << 16;
    // All ones where it is no number.
    const words special = __builtin_bit_cast(words, (wide & 0x7c00u) == 0x7c00u);
    to = __builtin_bit_cast(
        Vector, sign | __builtin_bit_cast(words, scaled) | (special & (magnitude | 0x7f800000u)));
  }
#endif
};

template <class T, int Count>
struct vector_of {
  typedef T type __attribute__((vector_size(Count * sizeof(T))));
};

/// Four elements wide: what every instruction set shuffles well.
template <class T>
using quad = typename vector_of<T, 4>::type;

/// Reads `Count` consecutive elements, whole vectors.
template <class Form, int Lanes, int Count>
[[gnu::always_inline]] inline void read_vectors(const typename Form::source* from,
                                                typename Form::element* to) {
  static_assert(Count % Lanes == 0);
#pragma GCC unroll 4
  for (int i = 0; i < Count; i += Lanes) {
    typename vector_of<typename Form::element, Lanes>::type x;
    Form::read(from + i, x);
    __builtin_memcpy(to + i, &x, sizeof x);
  }
}

/// Reads one element.
template <class Form>
[[gnu::always_inline]] inline typename Form::element read_one(const typename Form::source* from) {
  if constexpr (sizeof(typename Form::source) == sizeof(typename Form::element)) {
    return *from;
  } else {
    const typename Form::source four[4] = {*from};
    quad<typename Form::element> x;
    Form::read(four, x);
    return x[0];
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
