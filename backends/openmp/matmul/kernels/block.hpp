// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/micro_tile.hpp>

/// A block of c as micro tiles, compiled for each instruction set with internal linkage, as
/// matmul_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// How many columns become tiles: as many of `Vectors` vectors as leave the others one more, and at
/// the end what is left of very few. No tile is so narrow that its few chains leave units idle.
template <int Lanes, int Vectors>
struct column_cut {
  explicit column_cut(std::int64_t of) : columns(of) {
    const std::int64_t vectors = (columns + Lanes - 1) / Lanes;
    wide = vectors % Vectors;
    if (vectors < wide * (Vectors + 1)) wide = 0;
    normal = (vectors - wide * (Vectors + 1) + Vectors - 1) / Vectors;
  }

  std::int64_t panels() const { return normal + wide; }
  /// First column of a panel, and of what would be behind the last one.
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

/// Terms that are asked for before they are read where b lies in rows: a tile's part of one is too
/// short for the processor to see what comes next. Between 16 and 64 it made 10 % of difference.
inline constexpr std::int64_t terms_ahead = 32;

/// Panels that are asked for before they are read where a chunk comes in pieces. 16 x 4096 x 4096
/// doubles on a Zen 5: 2 panels 8.3 ms, 4 and 8 7.1 and 7.3, none 12.9.
inline constexpr std::int64_t panels_ahead = 4;

/// Columns of a panel in whole vectors: what a row of it takes in packed form.
template <int Lanes>
inline int padded(int columns) {
  return (columns + Lanes - 1) / Lanes * Lanes;
}

/// Rows of the next tile where `left` are left: neighbours share evenly rather than leave one row.
template <int Rows>
inline int next_rows(std::int64_t left) {
  if (left > Rows && left < 2 * Rows) return static_cast<int>(left + 1) / 2;
  return static_cast<int>(left < Rows ? left : Rows);
}

/// Calls the instance for the tile's rows.
template <class Lanes, int Rows, int Vectors, bool Part, bool Piece, class Form>
void multiply_rows(const block_of<Form>& t, int rows, const place_of<Lanes, Form>& at) {
  if constexpr (Rows > 1) {
    if (rows < Rows) return multiply_rows<Lanes, Rows - 1, Vectors, Part, Piece, Form>(t, rows, at);
  }
  multiply_tile<Lanes, Rows, Vectors, Part, Piece, Form>(t, at);
}

/// Calls the instance for the tile's rows and number of vectors.
template <class Lanes, int Rows, int Vectors, bool Piece, class Form>
void multiply_columns(const block_of<Form>& t, int rows, const place_of<Lanes, Form>& at) {
  if constexpr (Vectors > 1) {
    if (at.columns <= (Vectors - 1) * Lanes::lanes)
      return multiply_columns<Lanes, Rows, Vectors - 1, Piece, Form>(t, rows, at);
  }
  if (at.columns == Vectors * Lanes::lanes) {
    multiply_rows<Lanes, Rows, Vectors, false, Piece, Form>(t, rows, at);
  } else {
    multiply_rows<Lanes, Rows, Vectors, true, Piece, Form>(t, rows, at);
  }
}

/// Where the tile in row `i` and the columns from `first` on begins.
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
  at.b_ahead = 0;
  at.start = nullptr;
  if constexpr (has_start<Lanes>) at.start = t.starts + i * t.starts_row;
  at.columns = columns;
  at.mask = Lanes::first((columns - 1) % lanes + 1);
  return at;
}

/// Asks for what the next product's tile in the same place would read of b: a share of the terms
/// for each row of tiles.
template <class Lanes, class Block, class Place>
void prefetch_next_b(const Block& t, std::int64_t i, int rows, const Place& at) {
  const std::int64_t begin = t.terms * i / t.rows;
  const std::int64_t end = t.terms * (i + rows) / t.rows;
  for (std::int64_t l = begin; l < end; ++l) {
    const auto* row = at.b + t.b_next + l * t.b_row;
    for (int j = 0; j < at.columns; j += Lanes::lanes) __builtin_prefetch(row + j, 0, 2);
  }
}

/// From the terms of a panel to what is asked for early, where b lies in rows and comes from beyond
/// a core's own cache: terms below, or, of a piece, columns on the right and behind them the next
/// piece.
template <bool Piece, int Lanes, int Vectors, class Block>
std::int64_t distance_ahead(const Block& t, const column_cut<Lanes, Vectors>& cut,
                            std::int64_t panel) {
  if (!Piece) return terms_ahead * t.b_row;
  const std::int64_t columns = panels_ahead * Vectors * Lanes;
  return cut.first(panel) + columns < t.columns ? columns : columns - t.columns + t.terms * t.b_row;
}

/// The tiles of `rows` rows from `i` on in the panels `begin` .. `end` - 1.
template <class Lanes, int Rows, int Vectors, bool Piece, class Form>
void multiply_panels(const block_of<Form>& t, const column_cut<Lanes::lanes, Vectors>& cut,
                     std::int64_t begin, std::int64_t end) {
  // Wide tiles have fewer rows, for the same number of registers.
  constexpr int wide_rows = Rows * Vectors / (Vectors + 1);
  const std::int64_t before = cut.first(begin);
  std::int64_t chains = t.rows * before;
  for (std::int64_t i = 0; i < t.rows;) {
    const bool wide = begin >= cut.normal;
    const int rows = wide ? next_rows<wide_rows>(t.rows - i) : next_rows<Rows>(t.rows - i);
    for (std::int64_t panel = begin; panel < end; ++panel) {
      auto at = place_tile<Lanes>(t, i, cut.first(panel), cut.width(panel));
      if (Piece) at.chains = t.chains + chains + rows * (cut.first(panel) - before);
      if (t.a_far && !Piece && panel + 1 == end && i + 2 * rows <= t.rows)
        at.ahead = rows * t.a_row;
      if (t.far && t.b_row != 0 && i == 0) at.b_ahead = distance_ahead<Piece>(t, cut, panel);
      if (t.a_next != 0 && begin == 0 && panel + 1 == end) at.ahead = t.a_next;
      if (t.b_next != 0) prefetch_next_b<Lanes>(t, i, rows, at);
      if (wide) {
        multiply_columns<Lanes, wide_rows, Vectors + 1, Piece, Form>(t, rows, at);
      } else {
        multiply_columns<Lanes, Rows, Vectors, Piece, Form>(t, rows, at);
      }
    }
    chains += rows * (cut.first(end) - before);
    i += rows;
  }
}

/// All tiles of a block.
template <class Lanes, int Rows, int Vectors, bool Piece,
          class Form = as_is<typename Lanes::element>>
void multiply_block(const block_of<Form>& t) {
  const column_cut<Lanes::lanes, Vectors> cut(t.columns);
  if (t.rows_outside) {
    if (cut.normal > 0) multiply_panels<Lanes, Rows, Vectors, Piece, Form>(t, cut, 0, cut.normal);
    if (cut.wide > 0)
      multiply_panels<Lanes, Rows, Vectors, Piece, Form>(t, cut, cut.normal, cut.panels());
  } else {
    for (std::int64_t panel = 0; panel < cut.panels(); ++panel)
      multiply_panels<Lanes, Rows, Vectors, Piece, Form>(t, cut, panel, panel + 1);
  }
  if (t.streams) Lanes::fence();
}

}  // namespace
}  // namespace tandem::openmp_impl
