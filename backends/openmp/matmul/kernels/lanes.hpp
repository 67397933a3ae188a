// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/numbers/half.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#endif

/// Elements and vectors of the micro-kernel: arithmetic, loads with their conversion, and tiles in
/// registers. Everything has internal linkage, so that the file of each instruction set keeps its
/// own copy.
///
/// Lanes  struct of one instruction set: `element`, `vector` (a GCC vector type), `lanes`,
///        broadcast(element), fma(vector, vector, vector), rounded once in each lane; `mask`,
///        first(count), load_part(p, mask), store_part(p, mask, vector), which touch no memory
///        beyond the first `count` lanes; stream(p, vector), a non-temporal store if there is
///        one, and fence(), which makes such stores visible to other threads. If an element of
///        a or b holds several terms, also dot(a, b, sum), which adds all of their products, and
///        optionally start(a, stride, rows, terms), which writes the initial value of each row's
///        sums in front of the row
///
/// Form  `source`, the type in memory, and `element`, what it becomes; read(from, vector), which
///       reads as many consecutive elements as the vector has
namespace tandem::openmp_impl {
namespace {

/// Returns a * b + c, rounded once.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline std::int32_t fused(std::int32_t a, std::int32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                   static_cast<std::uint32_t>(c));
}

inline float plus(float a, float b) { return a + b; }
inline double plus(double a, double b) { return a + b; }
inline std::int32_t plus(std::int32_t a, std::int32_t b) { return fused(a, 1, b); }

inline float times(float a, float b) { return a * b; }
inline double times(double a, double b) { return a * b; }
inline std::int32_t times(std::int32_t a, std::int32_t b) { return fused(a, b, 0); }

/// Elements that the kernels multiply without conversion.
template <class T>
struct as_is {
  using source = T;
  using element = T;
  template <class Vector>
  [[gnu::always_inline]] static void read(const T* from, Vector& to) {
    __builtin_memcpy(&to, from, sizeof to);
  }
};

/// The 16-bit floats that fill a vector of `Bytes` bytes once widened.
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
  /// Makes a NaN quiet here, which multiplication would do anyway. Masks of all lanes keep g++ 12
  /// from a false warning.
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
  /// 2^112 moves the exponent from half's bias to float's and normalises subnormal numbers.
  template <class Types, class Vector>
  [[gnu::always_inline]] static void convert(const typename Types::narrow& bits, Vector& to) {
    using words = typename Types::words;
    const words wide = __builtin_convertvector(bits, words);
    const words magnitude = (wide & 0x7fffu) << 13;
    const Vector scaled = __builtin_bit_cast(Vector, magnitude) * 0x1p112f;
    const words sign = (wide & 0x8000u) << 16;
    // All ones for NaN.
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

/// Four elements wide: every instruction set shuffles these well.
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

template <class Lanes>
[[gnu::always_inline]] inline typename Lanes::vector load(const typename Lanes::element* p) {
  typename Lanes::vector x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}

template <class Lanes>
[[gnu::always_inline]] inline void store(typename Lanes::element* p, typename Lanes::vector x) {
  __builtin_memcpy(p, &x, sizeof x);
}

/// Rows x Vectors vectors of accumulators, small enough for the registers.
template <class Lanes, int Rows, int Vectors>
struct accumulators {
  typename Lanes::vector x[std::size_t{Rows}][std::size_t{Vectors}];
};

/// Pointers and strides of a tile's operands. `mask` is that of its last vector.
template <class Lanes, class Source = typename Lanes::element>
struct tile_place {
  const typename Lanes::element* a;
  const Source* b;
  typename Lanes::element* totals;
  typename Lanes::element* c;
  typename Lanes::element* chains;  ///< of a partial chunk
  std::int64_t b_row;
  std::int64_t ahead;                    ///< distance from a to the rows to prefetch, or 0
  std::int64_t b_prefetch;               ///< distance from b to the terms to prefetch, or 0
  const typename Lanes::element* start;  ///< initial value of the first row's sums, or null
  int columns;
  typename Lanes::mask mask;
};

/// Loads vector v of a row through Form. The last one may be incomplete: the memory after a row of
/// an unpacked operand may not be readable.
template <class Form, class Lanes, int Vectors, bool Part>
[[gnu::always_inline]] inline typename Lanes::vector load_at(
    const typename Form::source* row, int v, const tile_place<Lanes, typename Form::source>& at) {
  constexpr bool as_it_lies = sizeof(typename Form::source) == sizeof(typename Form::element);
  const auto* const from = row + v * Lanes::lanes;
  if constexpr (Part && as_it_lies) {
    if (v == Vectors - 1) return Lanes::load_part(from, at.mask);
  }
  typename Lanes::vector x;
  if (Part && v == Vectors - 1) {
    typename Form::source some[std::size_t{Lanes::lanes}] = {};
    for (int j = 0; j < at.columns - v * Lanes::lanes; ++j) some[j] = from[j];
    Form::read(some, x);
  } else {
    Form::read(from, x);
  }
  return x;
}

template <class Lanes, int Vectors, bool Part>
[[gnu::always_inline]] inline void store_at(typename Lanes::element* row, int v,
                                            typename Lanes::mask mask, typename Lanes::vector x) {
  if (Part && v == Vectors - 1) return Lanes::store_part(row + v * Lanes::lanes, mask, x);
  store<Lanes>(row + v * Lanes::lanes, x);
}

/// Stores the vectors contiguously.
template <class Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void store_all(typename Lanes::element* to,
                                             const accumulators<Lanes, Rows, Vectors>& from) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      store<Lanes>(to + (i * Vectors + v) * Lanes::lanes, from.x[i][v]);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
