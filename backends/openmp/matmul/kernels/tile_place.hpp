// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/widening_loads.hpp>

#include <cstddef>
#include <cstdint>

/// Vectors of a tile in registers and in memory. Everything has internal linkage, as in
/// micro_tile.hpp.
///
/// Lanes  struct of one instruction set: `element`, `vector` (a GCC vector type), `lanes`,
///        broadcast(element), fma(vector, vector, vector), rounded once in each lane; `mask`,
///        first(count), load_part(p, mask), store_part(p, mask, vector), which touch no memory
///        beyond the first `count` lanes; stream(p, vector), a non-temporal store where there is
///        one, and fence(), which makes such stores visible to other threads. Where an element of
///        a or b holds several terms, also dot(a, b, sum), which adds all of their products, and
///        optionally start(a, stride, rows, terms), which writes the initial value of each row's
///        sums in front of the row
namespace tandem::openmp_impl {
namespace {

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

/// Loads vector v of a row through Form. The last one may be incomplete: the memory after a row of an
/// unpacked operand may not be readable.
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
