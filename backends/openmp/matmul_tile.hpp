// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>

#include <cstddef>
#include <cstdint>

/// The micro kernel, written once and compiled for each instruction set by the file that includes
/// it. Everything here has internal linkage, so that each file keeps its own.
///
/// Lanes  struct of one instruction set: `element`, `vector` (a GCC vector type), `lanes`,
///        broadcast(element), and fma(vector, vector, vector), rounded once in each lane
namespace tandem::openmp_impl {
namespace {

/// a * b + c, rounded once.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

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

/// Row after row, without gaps.
template <class Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void store_all(typename Lanes::element* to,
                                             const accumulators<Lanes, Rows, Vectors>& sum) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      store<Lanes>(to + (i * Vectors + v) * Lanes::lanes, sum.x[i][v]);
    }
  }
}

/// The chains of one tile. Row pointers of a share one offset, so that packed and strided rows cost
/// the same.
template <class Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline accumulators<Lanes, Rows, Vectors> multiply_chunk(
    const matmul_tile<typename Lanes::element>& t) {
  using Vector = typename Lanes::vector;
  accumulators<Lanes, Rows, Vectors> sum{};
  const typename Lanes::element* a[std::size_t{Rows}];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) a[i] = t.a + i * t.a_row;
  const typename Lanes::element* b = t.b;
  std::int64_t offset = 0;
  for (std::int64_t l = 0; l < t.terms; ++l) {
    Vector row[std::size_t{Vectors}];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) row[v] = load<Lanes>(b + v * Lanes::lanes);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vector left = Lanes::broadcast(a[i][offset]);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum.x[i][v] = Lanes::fma(left, row[v], sum.x[i][v]);
    }
    offset += t.a_column;
    b += t.b_row;
  }
  return sum;
}

/// Whether whole vectors can be loaded from and stored to where this tile's results go.
template <class Lanes>
inline bool is_whole(const matmul_tile<typename Lanes::element>& t) {
  const bool totals_contiguous = (t.first && t.last) || t.totals_column == 1;
  return t.columns % Lanes::lanes == 0 && totals_contiguous && (!t.last || t.c_column == 1);
}

template <class Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void finish_vectors(const matmul_tile<typename Lanes::element>& t,
                                                  const accumulators<Lanes, Rows, Vectors>& sum) {
  using Vector = typename Lanes::vector;
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      Vector x = sum.x[i][v];
      if (!t.first) x = load<Lanes>(t.totals + i * t.totals_row + v * Lanes::lanes) + x;
      if (!t.last) {
        store<Lanes>(t.totals + i * t.totals_row + v * Lanes::lanes, x);
        continue;
      }
      auto* c = t.c + i * t.c_row + v * Lanes::lanes;
      x = Lanes::broadcast(t.alpha) * x;
      if (t.beta != 0) x = Lanes::fma(Lanes::broadcast(t.beta), load<Lanes>(c), x);
      store<Lanes>(c, x);
    }
  }
}

/// The same one element at a time: edges of c, and any strides.
template <class T>
void finish_elements(const matmul_tile<T>& t, const T* sums, int sums_row) {
  for (int i = 0; i < t.rows; ++i) {
    for (int j = 0; j < t.columns; ++j) {
      T x = sums[i * sums_row + j];
      T* total = t.totals + i * t.totals_row + j * t.totals_column;
      if (!t.first) x = *total + x;
      if (!t.last) {
        *total = x;
        continue;
      }
      T& c = t.c[i * t.c_row + j * t.c_column];
      x = t.alpha * x;
      c = t.beta != 0 ? fused(t.beta, c, x) : x;
    }
  }
}

template <class Lanes, int Rows, int Vectors>
void multiply(const matmul_tile<typename Lanes::element>& t) {
  const auto sum = multiply_chunk<Lanes, Rows, Vectors>(t);
  if (is_whole<Lanes>(t)) return finish_vectors<Lanes, Rows, Vectors>(t, sum);
  constexpr int columns = Vectors * Lanes::lanes;
  typename Lanes::element sums[std::size_t{Rows * columns}];
  store_all(sums, sum);
  finish_elements(t, sums, columns);
}

/// Starts the loads of the lines that finishing the tile will need: the chunk's chains take longer
/// than they do.
template <class T>
inline void prefetch_results(const matmul_tile<T>& t) {
  const T* p = t.last ? t.c : t.totals;
  const std::int64_t row = t.last ? t.c_row : t.totals_row;
  constexpr int line = 64 / sizeof(T);
  for (int i = 0; i < t.rows; ++i) {
    for (int j = 0; j < t.columns; j += line) __builtin_prefetch(p + i * row + j, 1);
  }
}

/// Calls the instance for the tile's rows and number of vectors.
template <class Lanes, int Rows, int Vectors>
void multiply_tile(const matmul_tile<typename Lanes::element>& t) {
  if constexpr (Rows > 1) {
    if (t.rows < Rows) return multiply_tile<Lanes, Rows - 1, Vectors>(t);
  }
  if constexpr (Vectors > 1) {
    constexpr int fewer = Vectors - 1;
    if (t.columns <= fewer * Lanes::lanes) return multiply_tile<Lanes, Rows, fewer>(t);
  }
  if (t.terms > 64) prefetch_results(t);
  multiply<Lanes, Rows, Vectors>(t);
}

/// One row of c without any blocking.
template <class T>
void multiply_row(const matmul_row<T>& r) {
  for (std::int64_t j = 0; j < r.n; ++j) {
    const T* b = r.b + j * r.b_column;
    T total = 0;
    for (std::int64_t begin = 0; begin < r.k; begin += r.chunk) {
      const std::int64_t end = r.k - begin < r.chunk ? r.k : begin + r.chunk;
      T chain = 0;
      for (std::int64_t l = begin; l < end; ++l) {
        chain = fused(r.a[l * r.a_column], b[l * r.b_row], chain);
      }
      total = begin == 0 ? chain : total + chain;
    }
    T& c = r.c[j * r.c_column];
    const T scaled = r.alpha * total;
    c = r.beta != 0 ? fused(r.beta, c, scaled) : scaled;
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
