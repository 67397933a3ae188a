// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

/// Steps of the canonical scan on vectors. Everything is a template over `Op`, a type that defines
/// the width of vectors and how two are combined:
///
///   element, vector, width         the vector's elements and their number
///   combine(vector, vector) const  lane by lane, earlier terms on the left
///   combine(element, element) const
///
/// Everything has internal linkage, so that the file of each instruction set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// A vector of `Bytes` bytes of T.
template <class T, int Bytes>
struct vector_of {
  typedef T type __attribute__((vector_size(Bytes)));
};

template <class Op>
using vector_t = typename Op::vector;
template <class Op>
using element_t = typename Op::element;

template <class Op>
[[gnu::always_inline]] inline vector_t<Op> load_vector(const element_t<Op>* from) {
  vector_t<Op> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class Op>
[[gnu::always_inline]] inline void store_vector(element_t<Op>* to, const vector_t<Op>& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// Prefetches the cache lines `ahead` bytes after `Count` elements, into L1 (`Near` = 3) or L2 (2).
/// The addresses need not be valid.
template <class Op, int Count, int Near>
[[gnu::always_inline]] inline void prefetch_lines(const element_t<Op>* from, std::size_t ahead) {
  const std::size_t first = reinterpret_cast<std::size_t>(from) + ahead;
#pragma GCC unroll 16
  for (std::size_t at = 0; at < Count * sizeof(element_t<Op>); at += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(first + at), 0, Near);
}

/// Non-temporal store; `to` is aligned to the vector's size.
template <class Op>
[[gnu::always_inline]] inline void store_vector_nontemporal(element_t<Op>* to,
                                                            const vector_t<Op>& v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, reinterpret_cast<vector_t<Op>*>(to));
#elif defined(__x86_64__)
  using word = vector_of<long long, sizeof(vector_t<Op>)>;
  typename word::type bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  auto* const words = reinterpret_cast<typename word::type*>(to);
  if constexpr (sizeof(bits) == 16) __builtin_ia32_movntdq(words, bits);
#if defined(__AVX__)
  if constexpr (sizeof(bits) == 32) __builtin_ia32_movntdq256(words, bits);
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(bits) == 64) __builtin_ia32_movntdq512(words, bits);
#endif
#else
  store_vector<Op>(to, v);
#endif
}

template <class Op, bool Nontemporal>
[[gnu::always_inline]] inline void put_vector(element_t<Op>* to, const vector_t<Op>& v) {
  if constexpr (Nontemporal) {
    store_vector_nontemporal<Op>(to, v);
  } else {
    store_vector<Op>(to, v);
  }
}

/// Selects lanes of a and b: lane l of the result is lane Map::lane(l) of the two concatenated.
template <class Op, class Map, int... Lane>
[[gnu::always_inline]] inline vector_t<Op> shuffle_by(const vector_t<Op>& a, const vector_t<Op>& b,
                                                      std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a, b, Map::lane(Lane)...);
}
template <class Op, class Map>
[[gnu::always_inline]] inline vector_t<Op> shuffle(const vector_t<Op>& a, const vector_t<Op>& b) {
  return shuffle_by<Op, Map>(a, b, std::make_integer_sequence<int, Op::width>{});
}

/// Moves v's lanes up by D; the last D lanes of `before` come in.
template <class Op, int D>
struct shift_map {
  static constexpr int lane(int l) { return Op::width - D + l; }
};
template <class Op, int D>
[[gnu::always_inline]] inline vector_t<Op> shift_in(const vector_t<Op>& before,
                                                    const vector_t<Op>& v) {
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof v == 64) {  // g++ 12 would take two instructions
    constexpr int lanes = sizeof(element_t<Op>) == 4 ? D : 2 * D;
    using word = vector_of<int, 64>::type;
    return (vector_t<Op>)__builtin_ia32_alignd512_mask((word)v, (word)before, 16 - lanes, word{},
                                                       static_cast<unsigned short>(-1));
  }
#endif
  return shuffle<Op, shift_map<Op, D>>(before, v);
}

/// The first D lanes of a, the others of b.
template <class Op, int D>
struct blend_map {
  static constexpr int lane(int l) { return l < D ? l : Op::width + l; }
};
template <class Op, int D>
[[gnu::always_inline]] inline vector_t<Op> first_lanes(const vector_t<Op>& a,
                                                       const vector_t<Op>& b) {
  return shuffle<Op, blend_map<Op, D>>(a, b);
}

template <class Op, int Lane>
struct broadcast_map {
  static constexpr int lane(int) { return Lane; }
};
template <class Op>
[[gnu::always_inline]] inline vector_t<Op> broadcast(element_t<Op> x) {
  const vector_t<Op> v = {x};
  return shuffle<Op, broadcast_map<Op, 0>>(v, v);
}
template <class Op>
[[gnu::always_inline]] inline vector_t<Op> broadcast_last(const vector_t<Op>& v) {
  return shuffle<Op, broadcast_map<Op, Op::width - 1>>(v, v);
}

/// From each span of `Items` items of `Size` lanes, takes the even (or odd) items of a, then those
/// of b. Each is one instruction on x86-64.
template <int Width, int Size, int Items, int Odd>
struct unzip_map {
  static constexpr int lane(int l) {
    constexpr int span = Size * Items;
    const int item = l % span / Size;
    const bool second = item >= Items / 2;
    const int from = 2 * (second ? item - Items / 2 : item) + Odd;
    return (second ? Width : 0) + l / span * span + from * Size + l % Size;
  }
};
template <class Op, int Size, int Items>
[[gnu::always_inline]] inline void unzip(vector_t<Op>& a, vector_t<Op>& b) {
  const vector_t<Op> even = shuffle<Op, unzip_map<Op::width, Size, Items, 0>>(a, b);
  b = shuffle<Op, unzip_map<Op::width, Size, Items, 1>>(a, b);
  a = even;
}

/// Transposes a matrix with 1, 2 or 4 items per side, whose rows are in rows[0], rows[step], .., in
/// each span of as many items.
template <class Op, int Size, int Items>
[[gnu::always_inline]] inline void transpose_items(vector_t<Op>* rows, int step) {
  if constexpr (Items == 2) unzip<Op, Size, 2>(rows[0], rows[step]);
  if constexpr (Items == 4) {
    unzip<Op, Size, 4>(rows[0], rows[step]);
    unzip<Op, Size, 4>(rows[2 * step], rows[3 * step]);
    unzip<Op, Size, 4>(rows[0], rows[2 * step]);
    unzip<Op, Size, 4>(rows[step], rows[3 * step]);
  }
}

/// Transposes `width` vectors: inside blocks of 16 bytes, then the blocks.
template <class Op>
[[gnu::always_inline]] inline void transpose(vector_t<Op>* rows) {
  constexpr int inner = 16 / static_cast<int>(sizeof(element_t<Op>));
  constexpr int blocks = Op::width / inner;
#pragma GCC unroll 16
  for (int g = 0; g < blocks; ++g) transpose_items<Op, 1, inner>(rows + g * inner, 1);
#pragma GCC unroll 16
  for (int j = 0; j < inner; ++j) transpose_items<Op, inner, blocks>(rows + j, inner);
}

}  // namespace
}  // namespace tandem::openmp_impl
