// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

#include <algorithm>
#include <cstddef>

/// How a product whose operands exceed a device is divided: into tiles of c, each the sum of
/// products of pieces of k. Plain functions of integers.
namespace tandem::detail {

/// Extents of a product: of all of it, or of the largest tile with the terms of a piece.
struct product_extents {
  index_t products = 0;
  index_t rows = 0;
  index_t columns = 0;
  index_t terms = 0;

  friend bool operator==(const product_extents&, const product_extents&) = default;
};

/// Bytes of buffers per element of a tile. Two pieces are there at a time, one that arrives and one
/// that is multiplied, and two tiles of c, one of which returns, unless there is only one.
struct product_bytes {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t bias = 0;
  std::size_t c = 0;

  /// The bytes of a tile's buffers, as a double: operands of any extents may share elements.
  double of(const product_extents& tile, bool is_whole) const {
    const auto real = [](auto x) { return static_cast<double>(x); };
    const double terms = real(tile.products) * real(tile.terms);
    return 2 * terms * (real(tile.rows) * real(a) + real(tile.columns) * real(b)) +
           2 * real(tile.columns) * real(bias) +
           (is_whole ? 1 : 2) * real(tile.products) * real(tile.rows) * real(tile.columns) *
               real(c);
  }
};

/// Returns the largest x <= most with fits(x), which holds up to some x; 0 if there is none.
template <class Fits>
index_t largest_fitting(index_t most, const Fits& fits) {
  index_t low = 0;
  while (low < most) {
    const index_t middle = most - (most - low) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      most = middle - 1;
    }
  }
  return low;
}

/// Rows and columns of the largest tile of a kernel.
inline constexpr index_t kernel_tile = 256;

/// Divides `whole` into as many parts as parts of at most `most` need, of nearly equal size, and of
/// whole tiles of kernels if they are large.
constexpr index_t evened(index_t most, index_t whole) {
  const index_t even = ceil_div(whole, ceil_div(whole, most));
  return even < 4 * kernel_tile ? even : tandem::min(most, round_up(even, kernel_tile));
}

/// Returns the largest tile with `terms` terms at a time whose buffers fit the budget: square as
/// far as c is, since a tile's operands grow with its sides and its work with its area. It has at
/// most half of a long side of c, so that results return while others are computed. Several
/// products of a batch share a tile if it holds whole ones.
///
/// Errors: argument_error, naming both numbers, if not even one element fits.
inline product_extents largest_product_tile(const product_extents& whole, index_t terms,
                                            const product_bytes& bytes, std::size_t budget) {
  constexpr index_t long_side = 8192;
  product_extents tile{1, 1, 1, terms};
  const auto fits = [&](const product_extents& some) {
    const bool is_whole =
        some.products == whole.products && some.rows == whole.rows && some.columns == whole.columns;
    return bytes.of(some, is_whole) <= static_cast<double>(budget);
  };
  if (!fits(tile)) {
    const auto needed = static_cast<std::size_t>(bytes.of(tile, false));
    throw argument_error(
        message({"matmul: an element of c with ", terms, " terms at a time needs ", needed,
                 " bytes of buffers per device, and the budget has ", budget}));
  }
  const auto most = [&](index_t all) {
    return std::max(long_side, round_up(ceil_div(all, index_t{2}), kernel_tile));
  };
  const index_t rows = std::min(whole.rows, most(whole.rows));
  const index_t columns = std::min(whole.columns, most(whole.columns));
  const index_t side = largest_fitting(std::max(rows, columns), [&](index_t x) {
    return fits({1, std::min(x, rows), std::min(x, columns), terms});
  });
  tile.rows = std::min(side, rows);
  tile.columns = std::min(side, columns);
  if (tile.rows == rows) {
    tile.columns = largest_fitting(columns, [&](index_t x) { return fits({1, rows, x, terms}); });
  } else if (tile.columns == columns) {
    tile.rows = largest_fitting(rows, [&](index_t x) { return fits({1, x, columns, terms}); });
  }
  tile.rows = evened(tile.rows, whole.rows);
  tile.columns = evened(tile.columns, whole.columns);
  if (tile.rows == whole.rows && tile.columns == whole.columns && terms == whole.terms) {
    tile.products = largest_fitting(whole.products, [&](index_t x) {
      return fits({x, tile.rows, tile.columns, terms});
    });
  }
  return tile;
}

/// Chooses the tile of a product. If k is cut, several pieces arrive together if the tile is large
/// even then: its totals are read and written less often.
///
/// @param whole  the extents of the product, none of them 0 except `terms`
/// @param piece  terms after which k may be cut
/// Errors: those of largest_product_tile for one piece.
inline product_extents choose_product_tile(const product_extents& whole, index_t piece,
                                           const product_bytes& bytes, std::size_t budget) {
  constexpr index_t most_pieces = 8;
  product_extents best = largest_product_tile(whole, std::min(piece, whole.terms), bytes, budget);
  for (index_t pieces = 2; pieces <= most_pieces && piece < whole.terms; pieces *= 2) {
    const index_t terms = std::min(pieces * piece, whole.terms);
    if (bytes.of({1, 1, 1, terms}, false) > static_cast<double>(budget)) break;
    const product_extents longer = largest_product_tile(whole, terms, bytes, budget);
    if (4 * terms > std::min(longer.rows, longer.columns)) break;
    best = longer;
  }
  return best;
}

/// Products, rows and columns of a tile of c, or of a part of it.
struct tile_box {
  range products;
  range rows;
  range columns;

  friend bool operator==(const tile_box& x, const tile_box& y) {
    const auto same = [](const range& one, const range& other) {
      return one.begin == other.begin && one.end == other.end;
    };
    return same(x.products, y.products) && same(x.rows, y.rows) && same(x.columns, y.columns);
  }
};

/// The tiles of a part of c, and the pieces of their terms.
class product_tiles {
 public:
  product_tiles() = default;
  /// @param products, rows  the part of c: some of its products or rows, and all of its columns
  product_tiles(const product_extents& tile, const range& products, const range& rows,
                index_t columns, index_t terms)
      : tile_(tile), all_{products, rows, range(columns)}, terms_(terms) {}

  index_t pieces() const { return terms_ == 0 ? 1 : ceil_div(terms_, tile_.terms); }
  /// The number of tiles; 0 if the part has no elements.
  index_t count() const {
    return parts(all_.products, tile_.products) * parts(all_.rows, tile_.rows) *
           parts(all_.columns, tile_.columns);
  }

  tile_box box(index_t tile) const {
    const index_t columns = parts(all_.columns, tile_.columns);
    const index_t rows = parts(all_.rows, tile_.rows);
    return {part(all_.products, tile_.products, tile / columns / rows),
            part(all_.rows, tile_.rows, tile / columns % rows),
            part(all_.columns, tile_.columns, tile % columns)};
  }

  range terms(index_t piece) const { return part(range(terms_), tile_.terms, piece); }

  /// The rows of a box that move to or from the device beside a piece.
  range share(const tile_box& box, index_t piece) const {
    const auto until = [&](index_t p) {
      return box.rows.begin + box.rows.size() / pieces() * p +
             box.rows.size() % pieces() * p / pieces();
    };
    return {until(piece), until(piece + 1)};
  }

 private:
  static index_t parts(const range& all, index_t size) {
    return all.size() == 0 ? 0 : ceil_div(all.size(), size);
  }
  static range part(const range& all, index_t size, index_t number) {
    const index_t begin = all.begin + number * size;
    return {begin, std::min(begin + size, all.end)};
  }

  product_extents tile_{1, 1, 1, 1};
  tile_box all_;
  index_t terms_ = 0;
};

}  // namespace tandem::detail
