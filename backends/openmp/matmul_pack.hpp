// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>

/// Copies of operands into panels, compiled for each instruction set with internal linkage, as
/// matmul_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// Terms of a transposition in one go: a cache line of floats, so that a line is read once even
/// where the panel's columns lie at a power of two from each other and fall out of the cache.
inline constexpr std::int64_t transposed_terms = 16;

/// Four elements wide: what every instruction set shuffles well.
template <class T>
struct quad {
  typedef T vector __attribute__((vector_size(4 * sizeof(T))));
};

/// Element by element, for edges and strides of both dimensions.
template <class T, int Width>
void pack_elements(const matmul_pack<T>& p, std::int64_t i_begin, std::int64_t i_end,
                   std::int64_t l_begin, std::int64_t l_end) {
  for (std::int64_t i = i_begin; i < i_end; ++i) {
    const T* from = p.source + i * p.across;
    T* to = p.panels + i / Width * p.panel_stride + i % Width;
    for (std::int64_t l = l_begin; l < l_end; ++l) {
      to[l * Width] = i < p.count ? from[l * p.along] : T{0};
    }
  }
}

/// Rows of the panels are contiguous in the source. Terms outermost: long reads from few pages at a
/// time.
template <class T, int Width>
void pack_rows(const matmul_pack<T>& p) {
  const std::int64_t whole = p.count / Width;
  for (std::int64_t l = 0; l < p.terms; ++l) {
    const T* from = p.source + l * p.along;
    T* to = p.panels + l * Width;
    for (std::int64_t panel = 0; panel < whole; ++panel) {
      __builtin_memcpy(to + panel * p.panel_stride, from + panel * Width, Width * sizeof(T));
    }
  }
  pack_elements<T, Width>(p, whole * Width, p.padded, 0, p.terms);
}

/// Four terms of four neighbours in a panel, which the source holds as rows.
template <class T>
[[gnu::always_inline]] inline void transpose_quad(const T* from, std::int64_t across, T* to,
                                                  std::int64_t width) {
  using Vector = typename quad<T>::vector;
  Vector row[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&row[i], from + i * across, sizeof(Vector));
  const Vector low_01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Vector low_23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Vector high_01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Vector high_23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Vector column[4] = {__builtin_shufflevector(low_01, low_23, 0, 1, 4, 5),
                            __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7),
                            __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5),
                            __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7)};
  for (int l = 0; l < 4; ++l) __builtin_memcpy(to + l * width, &column[l], sizeof(Vector));
}

/// Columns of the panel from `i_begin` on, at most one panel of them, are contiguous along l in the
/// source.
template <class T, int Width>
void transpose_panel(const matmul_pack<T>& p, std::int64_t i_begin) {
  constexpr std::int64_t quads = Width / 4 * 4;
  const std::int64_t columns = p.count - i_begin < quads ? (p.count - i_begin) / 4 * 4 : quads;
  const std::int64_t terms = p.terms / 4 * 4;
  T* panel = p.panels + i_begin / Width * p.panel_stride;
  for (std::int64_t begin = 0; begin < terms; begin += transposed_terms) {
    const std::int64_t end = terms - begin < transposed_terms ? terms : begin + transposed_terms;
    for (std::int64_t i = 0; i < columns; i += 4) {
      const T* from = p.source + (i_begin + i) * p.across;
      for (std::int64_t l = begin; l < end; l += 4) {
        transpose_quad(from + l, p.across, panel + l * Width + i, Width);
      }
    }
  }
  const std::int64_t i_end = p.padded - i_begin < Width ? p.padded : i_begin + Width;
  pack_elements<T, Width>(p, i_begin, i_begin + columns, terms, p.terms);
  pack_elements<T, Width>(p, i_begin + columns, i_end, 0, p.terms);
}

/// Packs panels of `Width` elements; see matmul_pack.
template <class T, int Width>
void pack_panels(const matmul_pack<T>& p) {
  if (p.across == 1) {
    pack_rows<T, Width>(p);
  } else if (p.along == 1) {
    for (std::int64_t i = 0; i < p.padded; i += Width) transpose_panel<T, Width>(p, i);
  } else {
    pack_elements<T, Width>(p, 0, p.padded, 0, p.terms);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
