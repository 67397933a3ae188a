// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend's choices are plain C++: a machine without a GPU checks them.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <tandem/backends/cuda/memory/word_box.hpp>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/backends/cuda/runtime/result_mailbox.hpp>
#include <tandem/backends/cuda/scan/policy.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda loops: several indices a thread only where every multiprocessor has threads") {
  CHECK(!unrolls(1 << 16, 90, 132));
  CHECK(unrolls(1 << 20, 90, 132));
  CHECK(unrolls(tandem::index_t{1} << 33, 75, 40));
}

TEST_CASE("cuda loops: a thread takes 16 bytes of elements whose size is known") {
  CHECK(items_of(1) == loops.items);
  CHECK(items_of(4) == 4);
  CHECK(items_of(8) == 2);
  CHECK(items_of(16) == 1);
  CHECK(items_of(256) == 1);
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

TEST_CASE("cuda loops: products that stand for quotients are exact") {
  for (const unsigned divisor : {1u, 2u, 3u, 5u, 7u, 40u, 100u, 127u, 641u, 65535u, 65536u,
                                 1000003u, (1u << 30) + 1, (1u << 31) - 1}) {
    const fast_divisor by = divide_by(divisor);
    for (const unsigned multiple : {0u, 1u, 2u, 1000u, ((1u << 31) - 1) / divisor}) {
      for (const unsigned offset : {0u, 1u, divisor - 1}) {
        const unsigned long long number = 1ull * multiple * divisor + offset;
        if (number >= 1ull << 31) continue;
        CHECK(by.quotient(static_cast<unsigned>(number)) == number / divisor);
      }
    }
  }
}

TEST_CASE("cuda launches: a kernel starts early only where its code can wait") {
  CHECK(code_waits({900}, 90));
  CHECK(code_waits({750, 800, 900, 1000, 1200}, 90));
  CHECK(code_waits({750, 800, 900, 1000, 1200}, 120));
  CHECK(code_waits({900}, 100));
  CHECK(code_waits({1000}, 103));
  CHECK(!code_waits({750, 800}, 90));
  CHECK(!code_waits({800, 900}, 100));
  CHECK(!code_waits({800, 900}, 80));
  CHECK(!code_waits({800, 1030}, 100));
}

TEST_CASE("cuda copies: contiguous rows move in the widest words that sizes and addresses allow") {
  const tandem::index_t extent[] = {10, 64};
  const tandem::index_t stride[] = {100, 1};
  const tandem::index_t* const both[2] = {stride, stride};
  const std::size_t aligned[2] = {4096, 8192};
  const std::size_t odd[2] = {4096, 8196};
  const auto wide = make_word_box(2, extent, both, 4, aligned);
  CHECK(wide.word_bytes == 16);
  CHECK(wide.size() == 160);
  CHECK(make_word_box(2, extent, both, 4, odd).word_bytes == 4);
}

TEST_CASE("cuda reductions: small grids are small blocks on all multiprocessors") {
  const reduce_grid tiny = select_grid(1, 8, lane_units, 132);
  CHECK(tiny.blocks == 1);
  CHECK(tiny.warps == 1);
  CHECK(tiny.each == 1);
  const reduce_grid million = select_grid(256, 8, lane_units, 132);  // 2^20 floats
  CHECK(million.blocks == 256);
  CHECK(million.warps == 1);
}

TEST_CASE("cuda reductions: a grid fits the machine or is several times as large") {
  for (tandem::index_t units = 1; units < (1 << 20); units += 1 + units / 7) {
    const reduce_grid grid = select_grid(units, 8, lane_units, 132);
    CHECK(grid.blocks * grid.warps * grid.each >= units);
    CHECK((grid.blocks - 1) * grid.warps * grid.each < units);
    const tandem::index_t warps = (units + grid.each - 1) / grid.each;
    if (grid.each > 1) CHECK(warps >= 15 * 132);
  }
  CHECK(select_grid(4096, 8, lane_units, 132).each == 2);   // 2^24 floats
  CHECK(select_grid(15840, 8, lane_units, 132).each == 2);  // the first that does not fit
  CHECK(select_grid(32768, 8, lane_units, 132).each == 2);  // 2^27
  CHECK(select_grid(32768, 4, narrow_units, 132).each == 4);
  CHECK(select_grid(131072, 8, extreme_units, 132).each == 8);
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
  const int floats = most_small_tiles(2048, 4 * 2048);
  CHECK(floats == 4);
  CHECK(most_small_tiles(512, 32 * 512) == 2);
  CHECK(most_small_tiles(512, 64 * 512) == 1);
  CHECK(most_small_tiles(512, 128 * 512) == 0);
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

TEST_CASE("cuda mailbox: words say which call sent them") {
  CHECK(next_call(0) == 1);
  CHECK(next_call(7) == 8);
  CHECK(next_call(0xffffffffu) == 1);
  std::uint64_t words[4] = {};
  const result_call call{nullptr, words, 9};
  const double sent[2] = {-0.0, 1.0 / 3};
  for (int i = 0; i < 2; ++i) {
    std::uint32_t half[2];
    std::memcpy(half, &sent[i], sizeof(double));
    for (int w = 0; w < 2; ++w) words[2 * i + w] = result_word(half[w], call.number);
  }
  for (const std::uint64_t word : words) CHECK(call_of(word) == 9);
  for (int i = 0; i < 2; ++i) CHECK(received<double>(call, i) == sent[i]);
  CHECK(std::signbit(received<double>(call, 0)));
  CHECK(result_words<char> == 1);
  CHECK(result_words<tandem::index_t> == 2);
}
