// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mapping of reductions along an axis onto a GPU is plain C++, checked without one.

#include <doctest/doctest.h>

#include <initializer_list>

#include <tandem/backends/cuda/reduce_axis/plan.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

TEST_CASE("reduce along an axis: a block takes whole slices where they are short") {
  CHECK(plan_slices(1000, 1, 16, 16, 1) ==
        slice_plan{.tiles = 1, .tiles_per_team = 1, .chunks = 1});
  CHECK(plan_slices(1000, 5, 16, 16, 1) ==
        slice_plan{.tiles = 8, .tiles_per_team = 1, .chunks = 1});
  CHECK(plan_slices(index_t{1} << 13, 8, 16, 16, 1) ==
        slice_plan{.tiles = 8, .tiles_per_team = 2, .chunks = 1});
}

TEST_CASE("reduce along an axis: long slices are cut into chunks") {
  CHECK(plan_slices(3, 513, 16, 16, 1) ==
        slice_plan{.tiles = 16, .tiles_per_team = 1, .chunks = 33});
  CHECK(plan_slices(128, 512, 16, 16, 1) ==
        slice_plan{.tiles = 32, .tiles_per_team = 2, .chunks = 16});
}

TEST_CASE("reduce along an axis: every tile has a team, and no team too many tiles") {
  for (const index_t slices : {1, 7, 300, 100'000}) {
    for (const index_t tiles : {1, 2, 15, 16, 17, 100, 5000}) {
      for (const int most : {1, 4, 16}) {
        const slice_plan plan = plan_slices(slices, tiles, 8, most, 1);
        CHECK(index_t{plan.tiles} * plan.chunks >= tiles);
        CHECK(plan.tiles <= 8 * plan.tiles_per_team);
        CHECK(8 * plan.tiles_per_team % plan.tiles == 0);
        CHECK(plan.tiles_per_team <= most);
      }
    }
  }
}

TEST_CASE("reduce along an axis: consecutive segments fill a warp at least") {
  CHECK(plan_slices(50, 3, 256, 1, 32) ==
        slice_plan{.tiles = 32, .tiles_per_team = 1, .chunks = 1});
  CHECK(plan_slices(50, 257, 256, 1, 32) ==
        slice_plan{.tiles = 256, .tiles_per_team = 1, .chunks = 2});
}

TEST_CASE("reduce along an axis: counters suffice") {
  for (const index_t cells : {1, 2, 100, 128, 129, 256, 257, 100'000}) {
    const index_t sharing = counter_sharing(cells);
    CHECK((cells + sharing - 1) / sharing <= max_axis_counters);
    for (const index_t tiles : {1, 2, 32, 33, 512, 100'000}) {
      const int nodes = column_nodes(cells, tiles, 32);
      CHECK(nodes != 1);
      if (nodes > 0) {
        CHECK(cells * (nodes + 1) <= max_axis_counters);
        CHECK(index_t{nodes} * 32 >= tiles);
      }
    }
  }
}

TEST_CASE("reduce along an axis: the method follows from terms, alignment and order") {
  const axis_shape floats{.terms = 1000,
                          .inner = 1,
                          .side_by_side = false,
                          .commutative = true,
                          .accumulator_bytes = 4,
                          .lanes = 64,
                          .tile = 2048};
  const auto with = [&](index_t terms, bool word_rows) {
    axis_shape shape = floats;
    shape.terms = terms;
    shape.word_rows = word_rows;
    return plan_axis(shape);
  };
  CHECK(with(16, false) == axis_method::thread_rows);
  CHECK(with(17, false) == axis_method::short_rows);
  CHECK(with(2048, false) == axis_method::short_rows);
  CHECK(with(2049, false) == axis_method::long_rows);
  CHECK(with(8, true) == axis_method::thread_rows);
  CHECK(with(12, true) == axis_method::word_rows_2);
  CHECK(with(64, true) == axis_method::word_rows_4);
  CHECK(with(256, true) == axis_method::word_rows_8);
  CHECK(with(2048, true) == axis_method::word_rows_16);
  CHECK(with(2052, true) == axis_method::long_word_rows);
  axis_shape ordered = floats;
  ordered.commutative = false;
  CHECK(plan_axis(ordered) == axis_method::ordered_rows);
  axis_shape large = floats;
  large.accumulator_bytes = 32;
  large.terms = 10;
  CHECK(plan_axis(large) == axis_method::short_rows);
}

TEST_CASE("reduce along an axis: slices side by side are columns where there are enough of them") {
  axis_shape shape{.terms = 1000,
                   .inner = 100,
                   .side_by_side = true,
                   .commutative = true,
                   .accumulator_bytes = 4,
                   .lanes = 64,
                   .tile = 2048};
  CHECK(plan_axis(shape) == axis_method::columns);
  shape.word_columns = true;
  shape.deep_rows = 1000;
  CHECK(plan_axis(shape) == axis_method::deep_word_columns);
  shape.terms = 999;
  CHECK(plan_axis(shape) == axis_method::word_columns);
  shape.terms = 16;
  CHECK(plan_axis(shape) == axis_method::thread_rows);
  shape.terms = 1000;
  shape.inner = min_columns - 1;
  CHECK(plan_axis(shape) == axis_method::short_rows);
  shape.inner = 100;
  shape.accumulator_bytes = 64;
  shape.word_columns = false;
  CHECK(plan_axis(shape) == axis_method::short_rows);
}
