// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/pack.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>

/// Packing of operands whose elements hold several terms. Everything has internal linkage, as in
/// micro_tile.hpp.
///
/// Form  how an element holds its terms: `source` and `element`, the types of a term and of an
///       element of 32 bits; `terms`, how many; part(x, r), the bits of term r; load(p), an element
///       of contiguous terms
namespace tandem::openmp_impl {
namespace {

template <class Form>
using terms_of = matmul_terms_pack<typename Form::source, typename Form::element>;

/// Returns the element of `terms` terms, `along` apart.
template <class Form>
[[gnu::always_inline]] inline typename Form::element element_of(const typename Form::source* from,
                                                                std::int64_t along, int terms) {
  std::uint32_t bits = 0;
#pragma GCC unroll 4
  for (int r = 0; r < terms; ++r) bits |= Form::part(from[r * along], r);
  return __builtin_bit_cast(typename Form::element, bits);
}

/// Packs consecutive terms of one i.
template <class Form>
[[gnu::always_inline]] inline void pack_along(const typename Form::source* from, std::int64_t along,
                                              std::int64_t terms,
                                              typename Form::element* __restrict to) {
  const std::int64_t whole = terms / Form::terms;
  for (std::int64_t q = 0; q < whole; ++q) {
    const typename Form::source* first = from + q * Form::terms * along;
    to[q] = along == 1 ? Form::load(first) : element_of<Form>(first, along, Form::terms);
  }
  const int left = static_cast<int>(terms % Form::terms);
  if (left > 0) to[whole] = element_of<Form>(from + whole * Form::terms * along, along, left);
}

/// Packs the first few terms of consecutive i.
template <class Form>
[[gnu::always_inline]] inline void pack_across(const typename Form::source* from,
                                               std::int64_t across, std::int64_t along,
                                               std::int64_t count, std::int64_t terms,
                                               typename Form::element* __restrict to) {
  if (terms >= Form::terms) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = element_of<Form>(from + i * across, along, Form::terms);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = element_of<Form>(from + i * across, along, static_cast<int>(terms));
  }
}

/// Operands that need transposition are packed in small pieces as they are read and then
/// transposed. A piece has one cache line's elements in one direction, since its lines may be a
/// power of two apart and compete for the few ways of a cache.
inline constexpr std::int64_t line_elements = 16;

/// Calls f(at, count) for pieces of `length` that cover 0 .. of - 1.
template <class Function>
[[gnu::always_inline]] inline void for_each_piece(std::int64_t of, std::int64_t length,
                                                  const Function& f) {
  for (std::int64_t at = 0; at < of; at += length) f(at, of - at < length ? of - at : length);
}

/// Packs contiguous columns of a as rows.
template <class Form>
void pack_columns_of_a(const terms_of<Form>& p) {
  constexpr std::int64_t g = Form::terms;
  for_each_piece((p.terms + g - 1) / g, line_elements,
                 [&](std::int64_t first, std::int64_t elements) {
                   for_each_piece(p.count, line_elements, [&](std::int64_t i, std::int64_t rows) {
                     typename Form::element packed[std::size_t{line_elements * line_elements}];
                     for (std::int64_t q = 0; q < elements; ++q) {
                       const std::int64_t term = (first + q) * g;
                       pack_across<Form>(p.source + i + term * p.along, 1, p.along, rows,
                                         p.terms - term, packed + q * line_elements);
                     }
                     typename Form::element* to = p.to + i * p.stride + first;
                     transpose<as_is<typename Form::element>>(
                         {packed, line_elements, 1, to, 1, p.stride}, elements, rows);
                   });
                 });
}

/// Packs contiguous columns of b. Takes half a line of terms at a time, so that columns a power of
/// two apart stay in the cache.
template <class Form>
void pack_columns_of_b(const terms_of<Form>& p) {
  constexpr std::int64_t g = Form::terms;
  constexpr std::int64_t depth = 8;
  for_each_piece(p.count, line_elements, [&](std::int64_t i, std::int64_t columns) {
    for_each_piece(p.terms, depth * g, [&](std::int64_t term, std::int64_t terms) {
      typename Form::element packed[std::size_t{line_elements * depth}];
      for (std::int64_t j = 0; j < columns; ++j)
        pack_along<Form>(p.source + (i + j) * p.across + term, 1, terms, packed + j * depth);
      typename Form::element* to = p.to + term / g * p.stride + i;
      transpose<as_is<typename Form::element>>({packed, depth, 1, to, 1, p.stride}, columns,
                                               (terms + g - 1) / g);
    });
  });
}

/// Packs rows of a; see matmul_terms_pack.
template <class Form>
void pack_terms_of_a(const terms_of<Form>& p) {
  if (p.along == 1) {
    for (std::int64_t i = 0; i < p.count; ++i)
      pack_along<Form>(p.source + i * p.across, 1, p.terms, p.to + i * p.stride);
  } else if (p.across == 1) {
    pack_columns_of_a<Form>(p);
  } else {
    for (std::int64_t i = 0; i < p.count; ++i)
      pack_along<Form>(p.source + i * p.across, p.along, p.terms, p.to + i * p.stride);
  }
}

/// Packs columns of b; see matmul_terms_pack.
template <class Form>
void pack_terms_of_b(const terms_of<Form>& p) {
  if (p.along == 1 && p.across != 1) return pack_columns_of_b<Form>(p);
  for (std::int64_t term = 0; term < p.terms; term += Form::terms) {
    const typename Form::source* from = p.source + term * p.along;
    typename Form::element* to = p.to + term / Form::terms * p.stride;
    if (p.across == 1) {
      pack_across<Form>(from, 1, p.along, p.count, p.terms - term, to);
    } else {
      pack_across<Form>(from, p.across, p.along, p.count, p.terms - term, to);
    }
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
