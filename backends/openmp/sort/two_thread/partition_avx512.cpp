// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/sort/two_thread/partition.hpp>

#include <cstdint>
#include <cstring>

#include <immintrin.h>

namespace tandem::openmp_impl {
namespace {

/// Vectors of 16 words of 4 bytes.
struct words {
  using word = std::uint32_t;
  static constexpr std::ptrdiff_t lanes = 16;
  using mask = __mmask16;

  static __m512i all(std::uint64_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static __m512i subtract(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static __m512i flip_negative(__m512i a, __m512i bits) {
    return _mm512_mask_xor_epi32(a, _mm512_movepi32_mask(a), a, bits);
  }
  static mask is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  static mask is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static __m512i compress(mask m, __m512i a) { return _mm512_maskz_compress_epi32(m, a); }
  static void store(void* to, mask m, __m512i a) { _mm512_mask_storeu_epi32(to, m, a); }
};

/// Vectors of 8 words of 8 bytes.
struct double_words {
  using word = std::uint64_t;
  static constexpr std::ptrdiff_t lanes = 8;
  using mask = __mmask8;

  static __m512i all(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  static __m512i subtract(__m512i a, __m512i b) { return _mm512_sub_epi64(a, b); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }
  static __m512i flip_negative(__m512i a, __m512i bits) {
    return _mm512_mask_xor_epi64(a, _mm512_movepi64_mask(a), a, bits);
  }
  static mask is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  static mask is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi64_mask(a, b); }
  static __m512i compress(mask m, __m512i a) { return _mm512_maskz_compress_epi64(m, a); }
  static void store(void* to, mask m, __m512i a) { _mm512_mask_storeu_epi64(to, m, a); }
};

/// A rank_form in registers.
template <class Vector>
struct form_vectors {
  __m512i negative, flip, offset, last;

  explicit form_vectors(const rank_form& form)
      : negative(Vector::all(form.negative)),
        flip(Vector::all(form.flip)),
        offset(Vector::all(form.offset)),
        last(Vector::all(form.last)) {}

  __m512i rank(__m512i key) const {
    const __m512i flipped = _mm512_xor_si512(Vector::flip_negative(key, negative), flip);
    return _mm512_xor_si512(Vector::subtract(flipped, offset), last);
  }
  __m512i key(__m512i rank) const {
    const __m512i flipped = Vector::add(_mm512_xor_si512(rank, last), offset);
    return Vector::flip_negative(_mm512_xor_si512(flipped, flip), negative);
  }
};

/// The places of a line that are free between its ranks below the pivot and the others.
template <class Vector>
struct gap {
  typename Vector::word* to;
  std::ptrdiff_t begin;
  std::ptrdiff_t end;

  /// Puts a vector's ranks at both ends. There is room for a whole vector at the front.
  void put(__m512i ranks, __m512i pivot) {
    const auto below = Vector::is_below(ranks, pivot);
    const auto others = static_cast<typename Vector::mask>(~below);
    const std::ptrdiff_t count = __builtin_popcount(below);
    const std::ptrdiff_t rest = Vector::lanes - count;
    _mm512_storeu_si512(to + begin, Vector::compress(below, ranks));
    begin += count;
    end -= rest;
    Vector::store(to + end, static_cast<typename Vector::mask>((1u << rest) - 1),
                  Vector::compress(others, ranks));
  }
};

/// Vectors that are read at a time, from that end of the keys not yet read where less room is left:
/// one hard branch for all of them. As many of each end are kept aside first.
constexpr int batch = 4;

template <class Vector>
void load(__m512i* to, const typename Vector::word* keys, const form_vectors<Vector>& form) {
#pragma GCC unroll 4
  for (int v = 0; v < batch; ++v) to[v] = form.rank(_mm512_loadu_si512(keys + v * Vector::lanes));
}

template <class Vector>
void put(gap<Vector>& places, const __m512i* ranks, __m512i pivot) {
#pragma GCC unroll 4
  for (int v = 0; v < batch; ++v) places.put(ranks[v], pivot);
}

/// Few keys, one after the other, from a copy of them.
template <class Vector>
void put_few(gap<Vector>& places, const typename Vector::word* keys, std::ptrdiff_t count,
             const rank_form& form, typename Vector::word pivot) {
  using Word = typename Vector::word;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const bool is_negative = (keys[i] >> (8 * sizeof(Word) - 1)) != 0;
    const auto flipped = static_cast<Word>(keys[i] ^ (is_negative ? form.negative : 0) ^ form.flip);
    const auto rank = static_cast<Word>((flipped - form.offset) ^ form.last);
    if (rank < pivot) {
      places.to[places.begin++] = rank;
    } else {
      places.to[--places.end] = rank;
    }
  }
}

/// All batches of the line, of which there are two or more.
template <class Vector>
void put_batches(gap<Vector>& places, const typename Vector::word* keys, std::ptrdiff_t batches,
                 const rank_form& from, std::uint64_t pivot_rank) {
  constexpr std::ptrdiff_t step = batch * Vector::lanes;
  const form_vectors<Vector> form(from);
  const __m512i pivot = Vector::all(pivot_rank);
  __m512i first[batch], final[batch], ranks[batch];
  std::ptrdiff_t begin = step;
  std::ptrdiff_t end = (batches - 1) * step;
  load<Vector>(first, keys, form);
  load<Vector>(final, keys + end, form);
  while (begin < end) {
    if (begin - places.begin <= places.end - end) {
      load<Vector>(ranks, keys + begin, form);
      begin += step;
    } else {
      end -= step;
      load<Vector>(ranks, keys + end, form);
    }
    put(places, ranks, pivot);
  }
  put(places, first, pivot);
  put(places, final, pivot);
}

template <class Vector>
std::ptrdiff_t partition(const void* from, std::ptrdiff_t count, const rank_form& form,
                         std::uint64_t pivot, void* to) {
  using Word = typename Vector::word;
  constexpr std::ptrdiff_t step = batch * Vector::lanes;
  const auto* const keys = static_cast<const Word*>(from);
  const std::ptrdiff_t batches = count < 2 * step ? 0 : count / step;
  const std::ptrdiff_t rest = count - batches * step;
  Word aside[static_cast<std::size_t>(2 * step)];
  std::memcpy(aside, keys + batches * step, static_cast<std::size_t>(rest) * sizeof(Word));
  gap<Vector> places{static_cast<Word*>(to), 0, count};
  if (batches > 0) put_batches<Vector>(places, keys, batches, form, pivot);
  put_few<Vector>(places, aside, rest, form, static_cast<Word>(pivot));
  return places.begin;
}

template <class Vector>
void restore(void* ranks, std::ptrdiff_t count, const rank_form& from) {
  using Word = typename Vector::word;
  const form_vectors<Vector> form(from);
  auto* const words = static_cast<Word*>(ranks);
  std::ptrdiff_t i = 0;
  for (; i + Vector::lanes <= count; i += Vector::lanes)
    _mm512_storeu_si512(words + i, form.key(_mm512_loadu_si512(words + i)));
  if (i == count) return;
  Word rest[Vector::lanes] = {};
  const auto bytes = static_cast<std::size_t>(count - i) * sizeof(Word);
  std::memcpy(rest, words + i, bytes);
  _mm512_storeu_si512(rest, form.key(_mm512_loadu_si512(rest)));
  std::memcpy(words + i, rest, bytes);
}

template <class Vector>
unsigned zeros_of(const void* from, std::ptrdiff_t count) {
  using Word = typename Vector::word;
  constexpr Word sign = Word{1} << (8 * sizeof(Word) - 1);
  const auto* const keys = static_cast<const Word*>(from);
  const __m512i zero = _mm512_setzero_si512();
  const __m512i negative = Vector::all(sign);
  unsigned zeros = 0;
  unsigned negatives = 0;
  const auto look = [&](const Word* at) {
    const __m512i x = _mm512_loadu_si512(at);
    zeros |= Vector::is_equal(x, zero);
    negatives |= Vector::is_equal(x, negative);
  };
  std::ptrdiff_t i = 0;
  for (; i + Vector::lanes <= count; i += Vector::lanes) look(keys + i);
  Word rest[Vector::lanes];
  std::memset(rest, 0xff, sizeof rest);
  std::memcpy(rest, keys + i, static_cast<std::size_t>(count - i) * sizeof(Word));
  look(rest);
  return (zeros != 0 ? has_zero : 0) | (negatives != 0 ? has_negative_zero : 0);
}

}  // namespace

std::ptrdiff_t partition_words_avx512(const void* keys, std::ptrdiff_t count, const rank_form& form,
                                      std::uint64_t pivot, void* ranks) {
  return partition<words>(keys, count, form, pivot, ranks);
}

std::ptrdiff_t partition_double_words_avx512(const void* keys, std::ptrdiff_t count,
                                             const rank_form& form, std::uint64_t pivot,
                                             void* ranks) {
  return partition<double_words>(keys, count, form, pivot, ranks);
}

void restore_words_avx512(void* ranks, std::ptrdiff_t count, const rank_form& form) {
  restore<words>(ranks, count, form);
}

void restore_double_words_avx512(void* ranks, std::ptrdiff_t count, const rank_form& form) {
  restore<double_words>(ranks, count, form);
}

unsigned zeros_of_words_avx512(const void* keys, std::ptrdiff_t count) {
  return zeros_of<words>(keys, count);
}

unsigned zeros_of_double_words_avx512(const void* keys, std::ptrdiff_t count) {
  return zeros_of<double_words>(keys, count);
}

}  // namespace tandem::openmp_impl
