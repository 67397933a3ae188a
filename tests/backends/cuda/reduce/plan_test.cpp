// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mapping of reductions to one value onto a GPU is plain C++, checked without one.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/reduce/plan.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda reductions: small grids are small blocks on all multiprocessors") {
  const reduce_grid tiny = select_grid(1, 8, lane_items, 132);
  CHECK(tiny.blocks == 1);
  CHECK(tiny.warps == 1);
  CHECK(tiny.items_per_warp == 1);
  const reduce_grid million = select_grid(256, 8, lane_items, 132);  // 2^20 floats
  CHECK(million.blocks == 256);
  CHECK(million.warps == 1);
}

TEST_CASE("cuda reductions: a grid fits the machine or is several times as large") {
  for (tandem::index_t items = 1; items < (1 << 20); items += 1 + items / 7) {
    const reduce_grid grid = select_grid(items, 8, lane_items, 132);
    CHECK(grid.blocks * grid.warps * grid.items_per_warp >= items);
    CHECK((grid.blocks - 1) * grid.warps * grid.items_per_warp < items);
    const tandem::index_t warps = (items + grid.items_per_warp - 1) / grid.items_per_warp;
    if (grid.items_per_warp > 1) CHECK(warps >= 15 * 132);
  }
  CHECK(select_grid(4096, 8, lane_items, 132).items_per_warp == 2);   // 2^24 floats
  CHECK(select_grid(15840, 8, lane_items, 132).items_per_warp == 2);  // the first size that does
                                                                      // not fit
  CHECK(select_grid(32768, 8, lane_items, 132).items_per_warp == 2);  // 2^27
  CHECK(select_grid(32768, 4, narrow_items, 132).items_per_warp == 4);
  CHECK(select_grid(131072, 8, argminmax_items, 132).items_per_warp == 8);
}

TEST_CASE("cuda reductions: the host combines the blocks of small grids") {
  const reduce_grid small = select_host_grid(16, 8, 1);  // 2^16 floats
  CHECK(small.blocks == 16);
  CHECK(small.warps == 1);
  const reduce_grid million = select_host_grid(256, 8, 1);
  CHECK(million.blocks == 64);
  CHECK(million.warps == 4);
  CHECK(select_host_grid(513, 8, 1).blocks == 0);
  CHECK(select_host_grid(512, 8, 1).blocks == 64);
  CHECK(select_host_grid(512, 8, 4).blocks == 0);
  CHECK(select_host_grid(1, 8, 64).blocks == 1);
}

TEST_CASE("cuda reductions: blocks share tiles of small grids, more of them where they are many") {
  const int floats = max_small_tiles(2048, 4, 1024);
  CHECK(floats == 4);
  CHECK(max_small_tiles(2048, 4, 512) == 2);
  CHECK(max_small_tiles(512, 32, 1024) == 2);
  CHECK(max_small_tiles(512, 64, 1024) == 1);
  CHECK(max_small_tiles(512, 128, 1024) == 0);
  CHECK(max_small_tiles(1024, 40, 512) == 1);  // sums of five doubles
  CHECK(max_small_tiles(1024, 48, 512) == 0);
  const auto grid = [&](tandem::index_t tiles) { return select_small_grid(tiles, floats, 1); };
  CHECK(grid(1).blocks == 1);
  CHECK(grid(16).blocks == 16);
  CHECK(grid(16).tiles == 1);
  CHECK(grid(17).blocks == 9);
  CHECK(grid(32).tiles == 2);
  CHECK(grid(33).tiles == 4);
  CHECK(grid(512).blocks == 128);  // 2^20 floats
  CHECK(grid(513).blocks == 0);
  CHECK(select_small_grid(128, 4, 4).blocks == 32);
  CHECK(select_small_grid(129, 4, 4).blocks == 0);
}

TEST_CASE("cuda reductions: a plan says who combines the blocks' results") {
  const reduce_shape floats{.item_elements = 4096, .max_warps = 8, .items = lane_items, .words = 1};
  const reduce_plan small = plan_for_host(floats, 1 << 16, 132);
  CHECK(small.method == reduce_method::host_combines);
  CHECK(small.results() == 16);
  const reduce_plan large = plan_for_host(floats, 1 << 27, 132);
  CHECK(large.method == reduce_method::device_combines);
  CHECK(large.results() == 1);
  CHECK(large == plan_on_device(floats, 1 << 27, 132));
}

TEST_CASE("cuda reductions: few terms of a function share their tiles") {
  const reduce_shape products{.item_elements = 2048,
                              .max_warps = 8,
                              .items = lane_items,
                              .words = 1,
                              .small_tile = 2048,
                              .max_small_tiles = 4,
                              .max_small_device_tiles = 2,
                              .small_tiles_per_sm = most_small_tiles_per_sm(4 * 2048)};
  const reduce_plan small = plan_for_host(products, 40 * 2048, 132);
  CHECK(small.method == reduce_method::small_host_combines);
  CHECK(small.grid.blocks == 10);
  CHECK(small.grid.items_per_warp == 4);
  CHECK(small.results() == 10);
  const reduce_plan middle = plan_for_host(products, 513 * 2048, 132);
  CHECK(middle.method == reduce_method::small_device_combines);
  CHECK(middle.grid.items_per_warp == 1);
  CHECK(middle.grid.blocks == 513);
  CHECK(middle.results() == 1);
  CHECK(middle == plan_on_device(products, 513 * 2048, 132));
  CHECK(products.small_tiles_per_sm == 8);
  CHECK(most_small_tiles_per_sm(40 * 1024) == 5);
  const tandem::index_t most = 8 * 132;
  const reduce_plan last = plan_on_device(products, most * 2048, 132);
  CHECK(last.method == reduce_method::small_device_combines);
  CHECK(last.grid.items_per_warp == 2);
  CHECK(last.grid.blocks == most / 2);
  CHECK(plan_on_device(products, most * 2048 + 1, 132).method == reduce_method::device_combines);
}

TEST_CASE("cuda reductions: CUB takes over from a number of bytes on") {
  const auto floats = static_cast<tandem::index_t>(cub_reduce.min_bytes / 4);
  CHECK(!selects_cub(floats - 1, 4));
  CHECK(selects_cub(floats, 4));
  CHECK(!selects_cub(floats / 2 - 1, 8));
  CHECK(selects_cub(floats / 2, 8));
  CHECK(!selects_cub(1, 1));
}

TEST_CASE("cuda reduce: what the warps of an ordered block leave fits shared memory") {
  for (const std::size_t bytes : {1u, 8u, 16u, 64u, 512u, 520u, 1024u}) {
    const int values = select_ordered_block(bytes) / 32 * ordered_items.max_items_per_warp;
    CHECK(static_cast<std::size_t>(values) * bytes <= std::size_t{32} << 10);
  }
}
