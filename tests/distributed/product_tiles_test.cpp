// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How streamed products are divided: the tiles fit the budget, and cover c and k once.

#include "distributed/support.hpp"

using tandem::index_t;
using tandem::range;
using tandem::detail::choose_product_tile;
using tandem::detail::product_bytes;
using tandem::detail::product_extents;
using tandem::detail::product_tiles;

namespace {

constexpr product_bytes floats{.a = 4, .b = 4, .c = 4};

/// How often the boxes of the tiles contain each element of products x rows x columns.
std::vector<int> coverage(const product_tiles& tiles, const product_extents& whole) {
  std::vector<int> count(static_cast<std::size_t>(whole.products * whole.rows * whole.columns));
  for (index_t tile = 0; tile < tiles.count(); ++tile) {
    const auto box = tiles.box(tile);
    index_t row = box.rows.begin;
    for (index_t piece = 0; piece < tiles.pieces(); ++piece) {
      const range share = tiles.share(box, piece);
      CHECK(share.begin == row);
      row = share.end;
      for (index_t p = box.products.begin; p < box.products.end; ++p)
        for (index_t i = share.begin; i < share.end; ++i)
          for (index_t j = box.columns.begin; j < box.columns.end; ++j)
            ++count[static_cast<std::size_t>((p * whole.rows + i) * whole.columns + j)];
    }
    CHECK(row == box.rows.end);
  }
  return count;
}

}  // namespace

TEST_CASE("streamed products: tiles fit the budget and cover c once") {
  for (const product_extents& whole :
       {product_extents{1, 1, 1, 1}, product_extents{1, 300, 200, 5000},
        product_extents{1, 1, 700, 1025}, product_extents{1, 700, 1, 0},
        product_extents{37, 11, 13, 900}, product_extents{5, 64, 3, 3000}}) {
    for (const std::size_t budget :
         {std::size_t{36000}, std::size_t{1} << 18, std::size_t{1} << 30}) {
      const index_t piece = std::min<index_t>(whole.terms, 1024);
      const product_extents tile = choose_product_tile(whole, piece, floats, budget);
      const bool is_whole = tile.products == whole.products && tile.rows == whole.rows &&
                            tile.columns == whole.columns;
      CHECK(floats.of(tile, is_whole) <= static_cast<double>(budget));
      CHECK((tile.terms == whole.terms || tile.terms % 1024 == 0));
      const product_tiles tiles(tile, range(whole.products), range(whole.rows), whole.columns,
                                whole.terms);
      const auto count = coverage(tiles, whole);
      CHECK(std::all_of(count.begin(), count.end(), [](int times) { return times == 1; }));
      index_t term = 0;
      for (index_t p = 0; p < tiles.pieces(); ++p) {
        CHECK(tiles.terms(p).begin == term);
        CHECK(term % 1024 == 0);
        term = tiles.terms(p).end;
      }
      CHECK(term == whole.terms);
    }
  }
}

TEST_CASE("streamed products: tiles are as large as the budget lets them be") {
  const std::size_t budget = std::size_t{8} << 30;
  const product_extents tile = choose_product_tile({1, 65536, 65536, 65536}, 1024, floats, budget);
  CHECK(tile == product_extents{1, 22016, 22016, 4096});
  // Results of a c that fits return in parts.
  CHECK(choose_product_tile({1, 20000, 20000, 20000}, 1024, floats, budget) ==
        product_extents{1, 10240, 10240, 2048});
  // A narrow c has tall tiles, and a c that fits is one tile.
  const product_extents tall = choose_product_tile({1, 1 << 30, 100, 4096}, 1024, floats, budget);
  CHECK(tall.columns == 100);
  CHECK(tall.rows > 500000);
  CHECK(choose_product_tile({1, 3000, 4000, 9000}, 1024, floats, budget) ==
        product_extents{1, 3000, 4000, 1024});
  // Small products of a batch share a tile if their terms are not cut.
  CHECK(choose_product_tile({1000, 10, 10, 10}, 10, floats, 1 << 20).products > 100);
  CHECK(choose_product_tile({1000, 10, 10, 2000}, 1024, floats, 1 << 20).products == 1);
}

TEST_CASE("streamed products: a budget that does not hold one element is refused") {
  CHECK_THROWS_WITH_AS(choose_product_tile({1, 9, 9, 5000}, 1024, floats, 16384),
                       "matmul: an element of c with 1024 terms at a time needs 16392 bytes of "
                       "buffers per device, and the budget has 16384",
                       tandem::argument_error);
  CHECK(choose_product_tile({1, 9, 9, 5000}, 1024, floats, 16392).rows == 1);
}

TEST_CASE("streamed products: a part without rows has no tiles") {
  const product_tiles none({1, 4, 4, 8}, range(1), range(5, 5), 4, 8);
  CHECK(none.count() == 0);
}
