// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the CUDA backend shares out segments is decided in plain C++: a machine without a GPU checks.

#include <doctest/doctest.h>

#include <initializer_list>

#include <tandem/backends/cuda/segments/policy.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

TEST_CASE("cuda segments: a warp takes a power of two of them, at most one per lane") {
  for (const index_t count : {index_t{0}, index_t{1}, index_t{8448}, index_t{1} << 20}) {
    INFO("count = " << count);
    const int each = segments_at_once(count, 132);
    CHECK(each >= 1);
    CHECK(each <= segment_warp);
    CHECK((each & (each - 1)) == 0);
  }
}

TEST_CASE("cuda segments: a warp takes several only where every warp of the GPU has as many") {
  constexpr index_t warps = index_t{132} * segments_tuning.warps_per_sm;
  CHECK(segments_at_once(2 * warps - 1, 132) == 1);
  CHECK(segments_at_once(2 * warps, 132) == 2);
  CHECK(segments_at_once(segment_warp * warps - 1, 132) == segment_warp / 2);
  CHECK(segments_at_once(segment_warp * warps, 132) == segment_warp);
}

TEST_CASE("cuda segments: the blocks that fold them fit a multiprocessor's registers") {
  constexpr int registers = 65536;
  for (const bool loads_elements : {false, true}) {
    for (const int tile_block : {32, 128, 256, 512}) {
      INFO("tile_block = " << tile_block << ", elements " << loads_elements);
      const segment_fold_policy fold = select_segment_fold(loads_elements, tile_block);
      CHECK(fold.block * fold.blocks_per_sm * 128 <= registers);
    }
  }
}
