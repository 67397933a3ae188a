// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend partitions segments in plain C++, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <cstddef>
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

TEST_CASE("cuda segments: fewer warps take several if a stage holds their terms") {
  CHECK(segments_per_stage(0, 0, 768) == 0);
  CHECK(segments_per_stage(37037, 999999, 768) == 28);
  CHECK(segments_at_once(37037, 132) == 4);
  CHECK(segments_at_once(37037, 132, 28) == 16);
  CHECK(segments_at_once(37037, 132, 10) == 8);
  CHECK(segments_at_once(37037, 132, 1) == 4);
  constexpr index_t warps = index_t{132} * segments_tuning.staging_warps_per_sm;
  CHECK(segments_at_once(16 * warps, 132, 32) == 16);
  CHECK(segments_at_once(16 * warps - 1, 132, 32) == 8);
}

constexpr std::size_t accumulator_bytes[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 1024};

TEST_CASE("cuda segments: the blocks that fold them fit a multiprocessor's registers") {
  constexpr int registers = 65536;
  for (const std::size_t bytes : accumulator_bytes) {
    INFO("accumulators of " << bytes << " bytes");
    CHECK(select_segment_fold(true, bytes).block == select_segment_fold(false, bytes).block);
    const int least = bytes <= 4 ? 64 : bytes <= 8 ? 96 : 128;
    for (const bool loads_elements : {false, true}) {
      const segment_fold_policy fold = select_segment_fold(loads_elements, bytes);
      CHECK(fold.block * fold.blocks_per_sm * least <= registers);
    }
  }
}

TEST_CASE("cuda segments: stages hold whole batches and fit beside each other") {
  constexpr int shared_bytes = 227 * 1024;  // per multiprocessor on compute capability 9.0
  for (const std::size_t bytes : accumulator_bytes) {
    INFO("accumulators of " << bytes << " bytes");
    const segment_load_policy load = select_segment_load(bytes);
    CHECK((load.batch & (load.batch - 1)) == 0);
    CHECK(load.staged % (segment_warp * load.batch) == 0);
    CHECK(load.longest <= load.staged);
    const segment_fold_policy fold = select_segment_fold(true, bytes);
    const int stages = fold.block / segment_warp * load.staged * static_cast<int>(bytes) * 9 / 8;
    CHECK(stages <= 48 * 1024);
    CHECK(stages * fold.blocks_per_sm <= shared_bytes);
  }
}
