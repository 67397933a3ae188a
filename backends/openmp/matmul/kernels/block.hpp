// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/micro_tile.hpp>
#include <tandem/backends/openmp/matmul/kernels/pack.hpp>

/// Loops over the micro tiles of a block of c, and the resulting table of kernels. Everything has
/// internal linkage, as in micro_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// Prefetch distance in terms if b is row-major: a tile's part of a row is too short for the
/// hardware prefetcher.
inline constexpr std::int64_t prefetch_terms = 32;

/// Prefetch distance in panels for partial chunks.
inline constexpr std::int64_t prefetch_panels = 4;

/// Returns the rows of the next tile if `left` rows are left: the last two tiles share evenly so
/// that no single row remains.
template <int Rows>
inline int next_rows(std::int64_t left) {
  if (left > Rows && left < 2 * Rows) return static_cast<int>(left + 1) / 2;
  return static_cast<int>(left < Rows ? left : Rows);
}

/// Calls the instance for the tile's rows.
template <class Lanes, int Rows, int Vectors, bool Part, bool Partial, class Form>
void multiply_rows(const block_of<Form>& t, int rows, const place_of<Lanes, Form>& at) {
  if constexpr (Rows > 1) {
    if (rows < Rows)
      return multiply_rows<Lanes, Rows - 1, Vectors, Part, Partial, Form>(t, rows, at);
  }
  multiply_tile<Lanes, Rows, Vectors, Part, Partial, Form>(t, at);
}

/// Calls the instance for the tile's rows and number of vectors.
template <class Lanes, int Rows, int Vectors, bool Partial, class Form>
void multiply_columns(const block_of<Form>& t, int rows, const place_of<Lanes, Form>& at) {
  if constexpr (Vectors > 1) {
    if (at.columns <= (Vectors - 1) * Lanes::lanes)
      return multiply_columns<Lanes, Rows, Vectors - 1, Partial, Form>(t, rows, at);
  }
  if (at.columns == Vectors * Lanes::lanes) {
    multiply_rows<Lanes, Rows, Vectors, false, Partial, Form>(t, rows, at);
  } else {
    multiply_rows<Lanes, Rows, Vectors, true, Partial, Form>(t, rows, at);
  }
}

/// Returns the pointers and strides of the tile at row `i` and column `first`.
template <class Lanes, class Source>
tile_place<Lanes, Source> place_tile(const matmul_block<typename Lanes::element, Source>& t,
                                     std::int64_t i, std::int64_t first, int columns) {
  constexpr int lanes = Lanes::lanes;
  tile_place<Lanes, Source> at;
  at.a = t.a + i * t.a_row;
  at.b = t.b + (t.b_row == 0 ? first * t.terms : first);
  at.b_row = t.b_row == 0 ? padded<lanes>(columns) : t.b_row;
  at.totals = t.totals + i * t.totals_row + first * t.totals_column;
  at.c = t.c + i * t.c_row + first * t.c_column;
  at.chains = nullptr;
  at.ahead = 0;
  at.b_prefetch = 0;
  at.start = nullptr;
  if constexpr (has_start<Lanes>) at.start = t.starts + i * t.starts_row;
  at.columns = columns;
  at.mask = Lanes::first((columns - 1) % lanes + 1);
  return at;
}

/// Prefetches a part of the b that the next product's tile in the same place will read: some terms
/// per row of tiles.
template <class Lanes, class Block, class Place>
void prefetch_next_b(const Block& t, std::int64_t i, int rows, const Place& at) {
  const std::int64_t begin = t.terms * i / t.rows;
  const std::int64_t end = t.terms * (i + rows) / t.rows;
  for (std::int64_t l = begin; l < end; ++l) {
    const auto* row = at.b + t.b_next + l * t.b_row;
    for (int j = 0; j < at.columns; j += Lanes::lanes) __builtin_prefetch(row + j, 0, 2);
  }
}

/// Returns the prefetch distance of a panel if b is row-major and exceeds the L2: some terms below
/// or, for a partial chunk, columns to the right and then the next partial chunk.
template <bool Partial, int Lanes, int Vectors, class Block>
std::int64_t prefetch_distance(const Block& t, const panel_partition<Lanes, Vectors>& partition,
                               std::int64_t panel) {
  if (!Partial) return prefetch_terms * t.b_row;
  const std::int64_t columns = prefetch_panels * Vectors * Lanes;
  return partition.first(panel) + columns < t.columns ? columns
                                                      : columns - t.columns + t.terms * t.b_row;
}

/// Computes all rows of tiles in the panels `begin` .. `end` - 1.
template <class Lanes, int Rows, int Vectors, bool Partial, class Form>
void multiply_panels(const block_of<Form>& t,
                     const panel_partition<Lanes::lanes, Vectors>& partition, std::int64_t begin,
                     std::int64_t end) {
  // Wide tiles have fewer rows, for the same number of registers.
  constexpr int wide_rows = Rows * Vectors / (Vectors + 1);
  const std::int64_t before = partition.first(begin);
  std::int64_t chains = t.rows * before;
  for (std::int64_t i = 0; i < t.rows;) {
    const bool wide = begin >= partition.normal;
    const int rows = wide ? next_rows<wide_rows>(t.rows - i) : next_rows<Rows>(t.rows - i);
    for (std::int64_t panel = begin; panel < end; ++panel) {
      auto at = place_tile<Lanes>(t, i, partition.first(panel), partition.width(panel));
      if (Partial) at.chains = t.chains + chains + rows * (partition.first(panel) - before);
      if (t.a_exceeds_l2 && !Partial && panel + 1 == end && i + 2 * rows <= t.rows)
        at.ahead = rows * t.a_row;
      if (t.exceeds_l2 && t.b_row != 0 && i == 0)
        at.b_prefetch = prefetch_distance<Partial>(t, partition, panel);
      if (t.a_next != 0 && begin == 0 && panel + 1 == end) at.ahead = t.a_next;
      if (t.b_next != 0) prefetch_next_b<Lanes>(t, i, rows, at);
      if (wide) {
        multiply_columns<Lanes, wide_rows, Vectors + 1, Partial, Form>(t, rows, at);
      } else {
        multiply_columns<Lanes, Rows, Vectors, Partial, Form>(t, rows, at);
      }
    }
    chains += rows * (partition.first(end) - before);
    i += rows;
  }
}

/// Computes all tiles of a block.
template <class Lanes, int Rows, int Vectors, bool Partial,
          class Form = as_is<typename Lanes::element>>
void multiply_block(const block_of<Form>& t) {
  const panel_partition<Lanes::lanes, Vectors> partition(t.columns);
  if (t.rows_outermost) {
    if (partition.normal > 0)
      multiply_panels<Lanes, Rows, Vectors, Partial, Form>(t, partition, 0, partition.normal);
    if (partition.wide > 0)
      multiply_panels<Lanes, Rows, Vectors, Partial, Form>(t, partition, partition.normal,
                                                           partition.panels());
  } else {
    for (std::int64_t panel = 0; panel < partition.panels(); ++panel)
      multiply_panels<Lanes, Rows, Vectors, Partial, Form>(t, partition, panel, panel + 1);
  }
  if (t.nontemporal) Lanes::fence();
}

/// Returns the naive kernel; null if an element holds several terms.
template <class Lanes, class Form, class T = typename Lanes::element>
constexpr void (*row_kernel())(const matmul_row<T, typename Form::source>&) {
  if constexpr (!has_dot<Lanes>) return multiply_row<Form>;
  return nullptr;
}

/// Returns the kernel of square tiles; null if an element holds several terms.
template <class Lanes, class T = typename Lanes::element>
constexpr void (*square_kernel())(const matmul_square<T>&) {
  if constexpr (!has_dot<Lanes>) return multiply_square<T>;
  return nullptr;
}

/// Returns the kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements and chunks of
/// `chunk` elements of k. Form reads the elements of a and b.
template <class Lanes, int Rows, int Vectors, class Form = as_is<typename Lanes::element>>
constexpr matmul_kernels<typename Lanes::element, typename Form::source> make_matmul_kernels(
    const char* instruction_set, std::int64_t chunk = matmul_chunk) {
  return {.instruction_set = instruction_set,
          .rows = Rows,
          .columns = Vectors * Lanes::lanes,
          .lanes = Lanes::lanes,
          .chunk = chunk,
          .starts = has_start<Lanes>,
          .multiply = multiply_block<Lanes, Rows, Vectors, false>,
          .multiply_partial = multiply_block<Lanes, Rows, Vectors, true, Form>,
          .pack_a = pack_lines<Form, Lanes::lanes>,
          .pack_b = pack_panels<Form, Lanes::lanes, Vectors>,
          .multiply_row = row_kernel<Lanes, Form>(),
          .multiply_square = square_kernel<Lanes>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
