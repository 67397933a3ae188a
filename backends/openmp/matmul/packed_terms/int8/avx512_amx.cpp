// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 -mamx-tile -mamx-int8 -mprefer-vector-width=512; runs only on CPUs
// that have it, if the system permits it (openmp.cmake).
#include <tandem/backends/openmp/matmul/packed_terms/int8/lanes.hpp>

/// tdpbssd multiplies 16 rows of 64 signed bytes by 16 columns, whose terms are packed in fours
/// like all elements here, and adds the products to 16 x 16 sums, modulo 2^32. A micro tile has two
/// by two of these, so that two instructions share each tile of a and of b.
namespace tandem::openmp_impl {
namespace {

using element = std::int32_t;
using block = matmul_block<element>;

constexpr int tile = 16;          // rows of a tile register, and elements of a row
constexpr int side = 2 * tile;    // rows and columns of a micro tile
constexpr int panel_vectors = 2;  // a micro tile's columns
using panel_cut = panel_partition<tile, panel_vectors>;

/// What ldtilecfg reads: rows of each tile register, and bytes of a row.
struct tile_shapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  /// A register without rows has no columns, and vice versa.
  void set(int at, int of_rows, int columns) {
    const bool used = of_rows > 0 && columns > 0;
    rows[at] = static_cast<std::uint8_t>(used ? of_rows : 0);
    row_bytes[at] = static_cast<std::uint16_t>(used ? 4 * columns : 0);
  }
};
static_assert(sizeof(tile_shapes) == 64 && sizeof(element) == 4);

int at_most_tile(int count) { return count < tile ? count : tile; }

/// Configures the registers for a micro tile: 0 to 3 hold its sums, 4 and 5 rows of a, 6 and 7
/// columns of b. They are exactly as large as the tile, so that nothing beyond it is read or
/// written.
void shape_tiles(int rows, int columns) {
  tile_shapes shapes;
  const int row_counts[] = {at_most_tile(rows), rows - tile};
  const int column_counts[] = {at_most_tile(columns), columns - tile};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) shapes.set(2 * i + j, row_counts[i], column_counts[j]);
    shapes.set(4 + i, row_counts[i], tile);
    shapes.set(6 + i, tile, column_counts[i]);
  }
  asm volatile("" : : "r"(&shapes) : "memory");  // g++ 12 takes ldtilecfg to read 8 bytes of it
  _tile_loadconfig(&shapes);
}

/// A micro tile's operands, and its sums before and after their products; null means zeros. Row
/// distances are in bytes.
struct micro_tile {
  const element* a;
  const element* b;
  const element* from;
  element* to;
  std::int64_t a_row;
  std::int64_t b_row;
  std::int64_t from_row;
  std::int64_t to_row;
  std::int64_t terms;
};

/// Behind a tile's rows.
template <class T>
T* rows_below(T* p, std::int64_t row) {
  return p + tile * row / 4;
}

// _tile_* take literal register numbers, so no loop can run over them.

template <bool TwoRows, bool TwoColumns>
[[gnu::always_inline]] inline void load_sums(const element* from, std::int64_t row) {
  if (from == nullptr) {
    _tile_zero(0);
    if constexpr (TwoColumns) _tile_zero(1);
    if constexpr (TwoRows) _tile_zero(2);
    if constexpr (TwoRows && TwoColumns) _tile_zero(3);
  } else {
    _tile_loadd(0, from, row);
    if constexpr (TwoColumns) _tile_loadd(1, from + tile, row);
    if constexpr (TwoRows) _tile_loadd(2, rows_below(from, row), row);
    if constexpr (TwoRows && TwoColumns) _tile_loadd(3, rows_below(from, row) + tile, row);
  }
}

template <bool TwoRows, bool TwoColumns>
[[gnu::always_inline]] inline void store_sums(element* to, std::int64_t row) {
  _tile_stored(0, to, row);
  if constexpr (TwoColumns) _tile_stored(1, to + tile, row);
  if constexpr (TwoRows) _tile_stored(2, rows_below(to, row), row);
  if constexpr (TwoRows && TwoColumns) _tile_stored(3, rows_below(to, row) + tile, row);
}

/// A micro tile from beginning to end, of one or two tiles in both directions.
template <bool TwoRows, bool TwoColumns>
void multiply_tiles(const micro_tile& t) {
  const std::int64_t a_row = t.a_row;
  const std::int64_t b_row = t.b_row;
  load_sums<TwoRows, TwoColumns>(t.from, t.from_row);
  const element* a = t.a;
  const element* b = t.b;
  for (const element* const end = a + t.terms; a != end; a += tile, b = rows_below(b, b_row)) {
    _tile_loadd(6, b, b_row);
    _tile_loadd(4, a, a_row);
    _tile_dpbssd(0, 4, 6);
    if constexpr (TwoColumns) {
      _tile_loadd(7, b + tile, b_row);
      _tile_dpbssd(1, 4, 7);
    }
    if constexpr (TwoRows) {
      _tile_loadd(5, rows_below(a, a_row), a_row);
      _tile_dpbssd(2, 5, 6);
      if constexpr (TwoColumns) _tile_dpbssd(3, 5, 7);
    }
  }
  store_sums<TwoRows, TwoColumns>(t.to, t.to_row);
}

void multiply_tiles(const micro_tile& t, int rows, int columns) {
  if (rows > tile)
    return columns > tile ? multiply_tiles<true, true>(t) : multiply_tiles<true, false>(t);
  return columns > tile ? multiply_tiles<false, true>(t) : multiply_tiles<false, false>(t);
}

/// Whether a block only needs sums, in rows of c or of totals.
bool is_plain(const block& t) {
  const bool plain_c = t.alpha == 1 && t.beta == 0 && t.c_column == 1;
  return (t.first || t.totals_column == 1) && (t.last ? plain_c : t.totals_column == 1);
}

/// The micro tiles of a block.
class micro_tiles {
 public:
  explicit micro_tiles(const block& t) : t_(t), cut_(t.columns), plain_(is_plain(t)) {}
  ~micro_tiles() { _tile_release(); }
  micro_tiles(const micro_tiles&) = delete;
  micro_tiles& operator=(const micro_tiles&) = delete;

  std::int64_t panels() const { return cut_.panels(); }

  /// Rows from i on in a panel.
  void multiply(std::int64_t i, std::int64_t panel) {
    const int width = cut_.width(panel);
    const auto at = place_tile<sixteen_int8_lanes>(t_, i, cut_.first(panel), width);
    micro_tile of{};
    of.a = at.a;
    of.a_row = 4 * t_.a_row;
    of.b_row = 4 * at.b_row;
    of.terms = t_.terms;
    const int rows = static_cast<int>(t_.rows - i < side ? t_.rows - i : side);
    for (int j = 0; j < width; j += side) {
      of.b = at.b + j;
      multiply_shape(of, i, cut_.first(panel) + j, rows, width - j < side ? width - j : side);
    }
  }

 private:
  void multiply_shape(micro_tile of, std::int64_t i, std::int64_t first, int rows, int columns) {
    if (rows != rows_ || columns != columns_) shape_tiles(rows, columns);
    rows_ = rows;
    columns_ = columns;
    const auto at = place_tile<sixteen_int8_lanes>(t_, i, first, columns);
    if (!plain_) {
      alignas(64) element sums[side * side];
      of.to = sums;
      of.to_row = 4 * side;
      multiply_tiles(of, rows, columns);
      return finish_rows<sixteen_int8_lanes>(t_, at, rows, side, sums);
    }
    of.from = t_.first ? nullptr : at.totals;
    of.from_row = 4 * t_.totals_row;
    of.to = t_.last ? at.c : at.totals;
    of.to_row = 4 * (t_.last ? t_.c_row : t_.totals_row);
    multiply_tiles(of, rows, columns);
  }

  const block& t_;
  panel_cut cut_;
  bool plain_;
  int rows_ = 0;
  int columns_ = 0;
};

void multiply_block_of_tiles(const block& t) {
  micro_tiles tiles(t);
  if (t.rows_outermost) {
    for (std::int64_t i = 0; i < t.rows; i += side) {
      for (std::int64_t panel = 0; panel < tiles.panels(); ++panel) tiles.multiply(i, panel);
    }
  } else {
    for (std::int64_t panel = 0; panel < tiles.panels(); ++panel) {
      for (std::int64_t i = 0; i < t.rows; i += side) tiles.multiply(i, panel);
    }
  }
}

}  // namespace

template <>
constinit const int8_kernels int8_kernels::avx512_amx = {
    .products = {.instruction_set = "avx512_amx",
                 .rows = side,
                 .columns = side,
                 .lanes = tile,
                 .chunk = matmul_chunk,
                 .starts = false,
                 .multiply = multiply_block_of_tiles,
                 .multiply_partial = nullptr,
                 .pack_a = pack_lines<as_is<element>, tile>,
                 .pack_b = pack_panels<as_is<element>, tile, panel_vectors>,
                 .multiply_row = nullptr,
                 .multiply_square = nullptr},
    .terms = signed_quads::terms,
    .pack_a = pack_terms_of_a<signed_quads>,
    .pack_b = pack_terms_of_b<signed_quads>,
    .start = nullptr,
    .depth = tile,
    .serial_work = std::int64_t{1} << 23};

}  // namespace tandem::openmp_impl
