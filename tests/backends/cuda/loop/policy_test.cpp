// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend plans loops in plain C++, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <initializer_list>

#include <tandem/backends/cuda/loop/policy.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda loops: several indices per thread only where every multiprocessor has threads") {
  CHECK(!unrolls(1 << 16, 90, 132));
  CHECK(unrolls(1 << 20, 90, 132));
  CHECK(unrolls(tandem::index_t{1} << 33, 75, 40));
}

TEST_CASE("cuda loops: a thread takes 16 bytes of elements whose size is known") {
  CHECK(items_per_thread(1) == loops.items);
  CHECK(items_per_thread(4) == 4);
  CHECK(items_per_thread(8) == 2);
  CHECK(items_per_thread(16) == 1);
  CHECK(items_per_thread(256) == 1);
}

TEST_CASE("cuda loops: blocks take the shape of their grid") {
  const block_shape square = grid_block(1000, 1000, 1);
  CHECK(square.x == 64);
  CHECK(square.y == 2);
  const block_shape tall = grid_block(1, 1000, 1);
  CHECK(tall.x == 1);
  CHECK(tall.y == loops.block);
  const block_shape flat = grid_block(1000, 1, 1);
  CHECK(flat.x == loops.block);
  for (const tandem::index_t nz : {1, 3, 1000}) {
    const block_shape any = grid_block(5, 7, nz);
    CHECK(any.x * any.y * any.z <= loops.block);
  }
}

TEST_CASE("cuda loops: grids of rows shorter than a warp's share are numbered through") {
  CHECK(is_narrow(1, 1 << 20));
  CHECK(is_narrow(127, 1 << 20));
  CHECK(!is_narrow(128, 1 << 20));
  CHECK(!is_narrow(1, tandem::index_t{1} << 31));  // too large for a fast_divisor
}

TEST_CASE("cuda loops: a launch has whole blocks of a grid, whose columns 32 bits can count") {
  for (const int each : {1, 3, 64, 128, 1000, 1024, 2048}) {
    CHECK(columns_of_launch(each) % each == 0);
    CHECK(columns_of_launch(each) <= tandem::index_t{1} << 31);
    CHECK(columns_of_launch(each) > (tandem::index_t{1} << 31) - each);
  }
}
