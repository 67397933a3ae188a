// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/lanes.hpp>
#include <tandem/backends/openmp/matmul/kernels/table.hpp>

#include <cstddef>
#include <cstdint>

/// The micro-kernel, written once and compiled for each instruction set by the file that includes
/// it. Everything here has internal linkage, so that each file keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Prefetches a tile's columns of one term of b.
template <class Lanes, int Vectors, class Source>
[[gnu::always_inline]] inline void prefetch_vectors(const Source* next) {
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) __builtin_prefetch(next + v * Lanes::lanes, 0, 2);
}

/// Prefetches a cache line of each row that is needed next.
template <int Rows, class T>
[[gnu::always_inline]] inline void prefetch_rows(const T* next, std::int64_t stride) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) __builtin_prefetch(next + i * stride, 0, 2);
}

/// Whether the sums of a row start from a value that Lanes computes instead of zero.
template <class Lanes>
inline constexpr bool has_start = requires { &Lanes::start; };

/// Whether an element of a or b holds several terms.
template <class Lanes>
inline constexpr bool has_dot = requires { &Lanes::dot; };

/// Returns the next sum of a chain.
template <class Lanes>
[[gnu::always_inline]] inline typename Lanes::vector next_sum(typename Lanes::vector a,
                                                              typename Lanes::vector b,
                                                              typename Lanes::vector sum) {
  if constexpr (has_dot<Lanes>) {
    return Lanes::dot(a, b, sum);
  } else {
    return Lanes::fma(a, b, sum);
  }
}

template <class Form>
using block_of = matmul_block<typename Form::element, typename Form::source>;

template <class Lanes, class Form>
using place_of = tile_place<Lanes, typename Form::source>;

/// Computes the chains of one tile, continuing a partial chunk if there is one. Prefetches the next
/// tile's rows along the way, one cache line of each at a time, because the hardware prefetcher
/// restarts with each row.
template <class Lanes, int Rows, int Vectors, bool Part, bool Partial, class Form>
[[gnu::always_inline]] inline accumulators<Lanes, Rows, Vectors> multiply_chunk(
    const block_of<Form>& t, const place_of<Lanes, Form>& at) {
  using T = typename Lanes::element;
  typename Lanes::vector sum[std::size_t{Rows}][std::size_t{Vectors}] = {};
  if constexpr (has_start<Lanes>) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const auto start = Lanes::broadcast(at.start[i * t.starts_row]);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[i][v] = start;
    }
  }
  if (Partial && !t.begins) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        sum[i][v] = load<Lanes>(at.chains + (i * Vectors + v) * Lanes::lanes);
    }
  }
  const std::int64_t a_row = t.a_row;
  const T* a = at.a;
  const T* const last = a + t.terms;
  const typename Form::source* b = at.b;
  constexpr std::int64_t line = 64 / sizeof(T);
  const std::int64_t piece = at.ahead != 0 ? line : t.terms;
  while (a != last) {
    const T* const end = last - a < piece ? last : a + piece;
    if (at.ahead != 0) prefetch_rows<Rows>(a + at.ahead, a_row);
    for (; a != end; ++a, b += at.b_row) {
      if (at.b_prefetch != 0) prefetch_vectors<Lanes, Vectors>(b + at.b_prefetch);
      typename Lanes::vector row[std::size_t{Vectors}];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) row[v] = load_at<Form, Lanes, Vectors, Part>(b, v, at);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        const auto left = Lanes::broadcast(a[i * a_row]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) sum[i][v] = next_sum<Lanes>(left, row[v], sum[i][v]);
      }
    }
  }
  accumulators<Lanes, Rows, Vectors> result;
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) result.x[i][v] = sum[i][v];
  }
  return result;
}

/// Adds the chains of a row, `sums`, to its totals or finishes them, in whole vectors if they fit.
template <class Lanes, class Block, class Place>
void finish_vectors(const Block& t, const Place& at, typename Lanes::element* totals,
                    typename Lanes::element* c, const typename Lanes::element* sums) {
  using Vector = typename Lanes::vector;
  const auto alpha = Lanes::broadcast(t.alpha);
  const auto beta = Lanes::broadcast(t.beta);
  for (int j = 0; j < at.columns; j += Lanes::lanes) {
    const bool part = j + Lanes::lanes > at.columns;
    const auto get = [&](const typename Lanes::element* p) {
      return part ? Lanes::load_part(p + j, at.mask) : load<Lanes>(p + j);
    };
    Vector x = load<Lanes>(sums + j);
    if (!t.first) x = get(totals) + x;
    if (t.last) {
      x = alpha * x;
      if (t.beta != 0) x = Lanes::fma(beta, get(c), x);
    }
    typename Lanes::element* to = (t.last ? c : totals) + j;
    if (part) {
      Lanes::store_part(to, at.mask, x);
    } else {
      store<Lanes>(to, x);
    }
  }
}

/// Finishes a row one element at a time, for any strides.
template <class Block, class T>
void finish_elements(const Block& t, T* totals, T* c, int columns, const T* sums) {
  for (int j = 0; j < columns; ++j) {
    T x = sums[j];
    T& total = totals[j * t.totals_column];
    if (!t.first) x = plus(total, x);
    if (!t.last) {
      total = x;
      continue;
    }
    T& out = c[j * t.c_column];
    x = times(t.alpha, x);
    out = t.beta != 0 ? fused(t.beta, out, x) : x;
  }
}

/// Finishes a tile from its chains in memory, `width` elements per row.
template <class Lanes, class Block, class Place>
[[gnu::noinline]] void finish_rows(const Block& t, const Place& at, int rows, int width,
                                   const typename Lanes::element* sums) {
  const bool contiguous =
      ((t.first && t.last) || t.totals_column == 1) && (!t.last || t.c_column == 1);
  for (int i = 0; i < rows; ++i) {
    auto* totals = at.totals + i * t.totals_row;
    auto* c = at.c + i * t.c_row;
    if (contiguous) {
      finish_vectors<Lanes>(t, at, totals, c, sums + i * width);
    } else {
      finish_elements(t, totals, c, at.columns, sums + i * width);
    }
  }
}

/// Writes alpha times the chains to contiguous rows of c that need not be read: the common case.
template <class Lanes, int Rows, int Vectors, bool Part, class Block, class Place>
[[gnu::always_inline]] inline void write_rows(const Block& t, const Place& at,
                                              const accumulators<Lanes, Rows, Vectors>& sum) {
  const auto alpha = Lanes::broadcast(t.alpha);
  if (!Part && t.nontemporal) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        Lanes::stream(at.c + i * t.c_row + v * Lanes::lanes, alpha * sum.x[i][v]);
    }
    return;
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      store_at<Lanes, Vectors, Part>(at.c + i * t.c_row, v, at.mask, alpha * sum.x[i][v]);
  }
}

/// Prefetches the cache lines that finishing the tile will need; they arrive while the chains are
/// computed.
template <class Block, class T>
inline void prefetch_results(const Block& t, const T* totals, const T* c, int rows, int columns) {
  const T* p = t.last ? c : totals;
  const std::int64_t row = t.last ? t.c_row : t.totals_row;
  constexpr int line = 64 / sizeof(T);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; j += line) __builtin_prefetch(p + i * row + j, 1);
  }
}

/// Computes one tile from beginning to end.
template <class Lanes, int Rows, int Vectors, bool Part, bool Partial, class Form>
void multiply_tile(const block_of<Form>& t, const place_of<Lanes, Form>& at) {
  if (t.exceeds_l2 && (!Partial || t.ends) && !t.nontemporal)
    prefetch_results(t, at.totals, at.c, Rows, at.columns);
  const auto sum = multiply_chunk<Lanes, Rows, Vectors, Part, Partial, Form>(t, at);
  if (Partial && !t.ends) return store_all<Lanes>(at.chains, sum);
  if (t.first && t.last && t.beta == 0 && t.c_column == 1)
    return write_rows<Lanes, Rows, Vectors, Part>(t, at, sum);
  constexpr int width = Vectors * Lanes::lanes;
  typename Lanes::element sums[std::size_t{Rows * width}];
  store_all<Lanes>(sums, sum);
  finish_rows<Lanes>(t, at, Rows, width, sums);
}

/// Computes one row of c without blocking.
template <class Form, class T = typename Form::element>
void multiply_row(const matmul_row<T, typename Form::source>& r) {
  for (std::int64_t j = 0; j < r.n; ++j) {
    const typename Form::source* b = r.b + j * r.b_column;
    T total = 0;
    for (std::int64_t begin = 0; begin < r.k; begin += r.chunk) {
      const std::int64_t end = r.k - begin < r.chunk ? r.k : begin + r.chunk;
      T chain = 0;
      for (std::int64_t l = begin; l < end; ++l) {
        const T left = read_one<Form>(r.a + l * r.a_column);
        chain = fused(left, read_one<Form>(b + l * r.b_row), chain);
      }
      total = begin == 0 ? chain : total + chain;
    }
    T& c = r.c[j * r.c_column];
    const T scaled = r.alpha * total;
    c = r.beta != 0 ? fused(r.beta, c, scaled) : scaled;
  }
}

/// Adds the products of two square tiles to their chains, in ascending order of the terms.
template <class T>
void multiply_square(const matmul_square<T>& t) {
  for (std::int64_t i = 0; i < t.rows; ++i) {
    T* const chains = t.chains + i * matmul_tile;
    for (std::int64_t l = 0; l < t.terms; ++l) {
      const T left = t.a[i * matmul_tile + l];
      const T* const b = t.b + l * matmul_tile;
      for (std::int64_t j = 0; j < t.columns; ++j) chains[j] = fused(left, b[j], chains[j]);
    }
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
