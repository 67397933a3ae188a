// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/lanes.hpp>
#include <tandem/backends/openmp/matmul/kernels/table.hpp>

/// Packing operands. Everything has internal linkage, as in micro_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// Partitions columns into panels. Most have `Vectors` vectors and some one more, so that no
/// remainder is too narrow to keep the FMA units busy.
template <int Lanes, int Vectors>
struct panel_partition {
  explicit panel_partition(std::int64_t of) : columns(of) {
    const std::int64_t vectors = (columns + Lanes - 1) / Lanes;
    wide = vectors % Vectors;
    if (vectors < wide * (Vectors + 1)) wide = 0;
    normal = (vectors - wide * (Vectors + 1) + Vectors - 1) / Vectors;
  }

  std::int64_t panels() const { return normal + wide; }
  /// Returns the first column of a panel; for panels(), the end of the last one.
  std::int64_t first(std::int64_t panel) const {
    const std::int64_t before = panel < normal ? 0 : panel - normal;
    return (panel * Vectors + before) * Lanes;
  }
  int width(std::int64_t panel) const {
    const std::int64_t begin = first(panel);
    const std::int64_t end = begin + (panel < normal ? Vectors : Vectors + 1) * Lanes;
    return static_cast<int>((end < columns ? end : columns) - begin);
  }

  std::int64_t columns;
  std::int64_t normal;
  std::int64_t wide;
};

/// Returns the columns of a panel rounded up to whole vectors, the length of a packed row.
template <int Lanes>
inline int padded(int columns) {
  return (columns + Lanes - 1) / Lanes * Lanes;
}

/// Terms per transposed block: a cache line of floats, so that each line is read once even if the
/// panel's columns are a power of two apart and evict each other.
inline constexpr std::int64_t transposed_terms = 16;

/// Prefetch distance in rows of an operand: a panel's part of a row is too short for the hardware
/// prefetcher.
inline constexpr std::int64_t prefetch_rows_ahead = 8;

template <class Form>
using pack_of = matmul_pack<typename Form::element, typename Form::source>;

/// Reads `count` consecutive elements.
template <class Form, int Lanes>
[[gnu::always_inline]] inline void read_row(const typename Form::source* from,
                                            typename Form::element* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + Lanes <= count; i += Lanes) read_vectors<Form, Lanes, Lanes>(from + i, to + i);
  for (; i < count; ++i) to[i] = read_one<Form>(from + i);
}

/// to[l * to_along + i * to_across] = from[l * along + i * across] for i < across_count and l <
/// along_count.
template <class Form>
struct strided_copy {
  const typename Form::source* from;
  std::int64_t across;
  std::int64_t along;
  typename Form::element* to;
  std::int64_t to_across;
  std::int64_t to_along;
};

/// Copies element by element, for edges and operands strided in both dimensions.
template <class Form>
void copy_elements(const strided_copy<Form>& s, std::int64_t i_begin, std::int64_t i_end,
                   std::int64_t l_begin, std::int64_t l_end) {
  for (std::int64_t i = i_begin; i < i_end; ++i) {
    for (std::int64_t l = l_begin; l < l_end; ++l) {
      s.to[i * s.to_across + l * s.to_along] = read_one<Form>(s.from + i * s.across + l * s.along);
    }
  }
}

/// Transposes a 4 x 4 block.
template <class Form>
[[gnu::always_inline]] inline void transpose_quad(const typename Form::source* from,
                                                  std::int64_t across, typename Form::element* to,
                                                  std::int64_t width) {
  using Vector = quad<typename Form::element>;
  Vector row[4];
  for (int i = 0; i < 4; ++i) Form::read(from + i * across, row[i]);
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

/// Transposes lines along l into lines along i, or the reverse with the roles exchanged.
template <class Form>
void transpose(const strided_copy<Form>& s, std::int64_t count, std::int64_t terms) {
  const std::int64_t columns = count / 4 * 4;
  const std::int64_t whole = terms / 4 * 4;
  for (std::int64_t begin = 0; begin < whole; begin += transposed_terms) {
    const std::int64_t end = whole - begin < transposed_terms ? whole : begin + transposed_terms;
    for (std::int64_t i = 0; i < columns; i += 4) {
      const typename Form::source* from = s.from + i * s.across;
      for (std::int64_t l = begin; l < end; l += 4) {
        transpose_quad<Form>(from + l, s.across, s.to + l * s.to_along + i, s.to_along);
      }
    }
  }
  copy_elements(s, 0, columns, whole, terms);
  copy_elements(s, columns, count, 0, terms);
}

/// Packs panels whose rows are contiguous in the source. The loop over terms is outermost, for long
/// reads from few pages at a time.
template <class Form, int Lanes, int Vectors>
void pack_rows(const pack_of<Form>& p, const panel_partition<Lanes, Vectors>& partition) {
  constexpr std::int64_t line = 64 / sizeof(typename Form::source);
  const std::int64_t last = partition.panels() - 1;
  for (std::int64_t l = 0; l < p.terms; ++l) {
    const typename Form::source* from = p.source + l * p.along;
    const std::int64_t row = p.begin + l;
    if (l + prefetch_rows_ahead < p.terms) {
      for (std::int64_t i = 0; i < p.count; i += line)
        __builtin_prefetch(from + prefetch_rows_ahead * p.along + i);
    }
    for (std::int64_t panel = 0; panel < last; ++panel) {
      const std::int64_t first = partition.first(panel);
      typename Form::element* to = p.to + first * p.stride;
      if (panel < partition.normal) {
        constexpr int normal = Vectors * Lanes;
        read_vectors<Form, Lanes, normal>(from + first, to + row * normal);
      } else {
        constexpr int wide = (Vectors + 1) * Lanes;
        read_vectors<Form, Lanes, wide>(from + first, to + row * wide);
      }
    }
    const std::int64_t first = partition.first(last);
    const int columns = partition.width(last);
    typename Form::element* to = p.to + first * p.stride + row * padded<Lanes>(columns);
    read_row<Form, Lanes>(from + first, to, columns);
  }
}

/// Packs columns of b; see matmul_pack.
template <class Form, int Lanes, int Vectors>
void pack_panels(const pack_of<Form>& p) {
  const panel_partition<Lanes, Vectors> partition(p.count);
  if (p.across == 1) return pack_rows<Form>(p, partition);
  for (std::int64_t panel = 0; panel < partition.panels(); ++panel) {
    const std::int64_t first = partition.first(panel);
    const int columns = partition.width(panel);
    const int width = padded<Lanes>(columns);
    const strided_copy<Form> copy{p.source + first * p.across,
                                  p.across,
                                  p.along,
                                  p.to + first * p.stride + p.begin * width,
                                  1,
                                  width};
    if (p.along == 1) {
      transpose(copy, columns, p.terms);
    } else {
      copy_elements(copy, 0, columns, 0, p.terms);
    }
  }
}

/// Copies rows of a; see matmul_pack.
template <class Form, int Lanes>
void pack_lines(const pack_of<Form>& p) {
  if (p.along == 1) {
    for (std::int64_t i = 0; i < p.count; ++i)
      read_row<Form, Lanes>(p.source + i * p.across, p.to + i * p.stride, p.terms);
  } else if (p.across == 1) {
    transpose<Form>({p.source, p.along, 1, p.to, 1, p.stride}, p.terms, p.count);
  } else {
    copy_elements<Form>({p.source, p.across, p.along, p.to, p.stride, 1}, 0, p.count, 0, p.terms);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
