// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the CUDA backend sorts and selects is chosen in plain C++: a machine without a GPU checks it.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/select/policy.hpp>
#include <tandem/backends/cuda/sort/policy.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr std::size_t h200_shared = 232448;   // 227 KiB
constexpr std::size_t turing_shared = 65536;  // compute capability 7.5, the least of all

/// Bytes of a tile in shared memory.
constexpr std::size_t stage_bytes(std::size_t element_bytes) {
  const bool staged = select_selection(element_bytes).staged;
  return static_cast<std::size_t>(select_tile_size(element_bytes)) *
         (staged ? element_bytes : sizeof(int));
}

}  // namespace

TEST_CASE("cuda selections: two tiles of any element fit every GPU's shared memory") {
  for (std::size_t bytes = 1; bytes <= 64; ++bytes) {
    INFO("bytes = " << bytes);
    CHECK(2 * stage_bytes(bytes) + select_block_overhead <= turing_shared + 1024);
  }
}

TEST_CASE("cuda selections: a thread loads 16 bytes where elements fill them") {
  for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u})
    CHECK(static_cast<std::size_t>(select_selection(bytes).items) * bytes == 16);
  CHECK(select_selection(12).items == 1);
  CHECK(select_selection(16).staged);
  CHECK(!select_selection(17).staged);
}

TEST_CASE("cuda selections: no more blocks than tiles, nor than stay on the device") {
  CHECK(select_grid(1, 132, 3, stage_bytes(4), h200_shared) == 1);
  CHECK(select_grid(1 << 20, 132, 3, stage_bytes(4), h200_shared) == 3 * 132);
  CHECK(select_grid(1 << 20, 40, 3, stage_bytes(4), turing_shared) == 40);
  CHECK(select_grid(1 << 20, 132, 3, std::size_t{1} << 20, h200_shared) == 132);
}

TEST_CASE("cuda sorts: a block's keys fit the 48 KiB that it needs not ask for") {
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
