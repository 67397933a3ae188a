// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the CUDA backend's sorts are plain data, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/sort/policy.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda sorts: a block's keys fit the 48 KiB that need no opt-in") {
  using tandem::key_kind;
  using tandem::sort_order;
  for (const auto kind : {key_kind::signed_integer, key_kind::floating_point}) {
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      for (const std::size_t value_bytes : {0u, 4u}) {
        for (const std::size_t key_bytes : {4u, 8u}) {
          const radix_policy chosen = select_radix(key_bytes, kind, order, value_bytes);
          const auto keys = static_cast<std::size_t>(chosen.block * chosen.items);
          CHECK(keys * key_bytes + 256 * sizeof(unsigned) <= std::size_t{48} << 10);
        }
      }
    }
  }
}

TEST_CASE("cuda merges: two tiles and positions fit the 48 KiB that need no opt-in") {
  for (const std::size_t key_bytes : {1u, 2u, 4u, 8u}) {
    const auto items = static_cast<std::size_t>(merge_items_of(key_bytes));
    const std::size_t keys = items * merge_block;
    CHECK(items % 2 == 1);
    CHECK(2 * (keys + 2 * items) * key_bytes + keys * 2 + (most_merge_tiles + 1) * 8 <=
          std::size_t{48} << 10);
  }
  CHECK(most_merge_tiles + 1 <= merge_block / 32);
}

TEST_CASE("cuda merges: blocks have several tiles only if they outnumber those that are resident") {
  constexpr int h200 = 132;
  CHECK(merge_tiles_per_block(1, h200) == 1);
  CHECK(merge_tiles_per_block(2 * merge_blocks_per_sm * h200 - 1, h200) == 1);
  CHECK(merge_tiles_per_block(3 * merge_blocks_per_sm * h200, h200) == 3);
  CHECK(merge_tiles_per_block(1 << 20, h200) == most_merge_tiles);
}
