// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend plans selections in plain C++, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/select/policy.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr std::size_t h200_shared = 232448;   // 227 KiB
constexpr std::size_t turing_shared = 65536;  // compute capability 7.5, the smallest of all

/// Bytes per tile in shared memory.
constexpr std::size_t stage_bytes(std::size_t element_bytes, bool positions = false) {
  const bool staged = select_selection(element_bytes, positions).staged;
  return static_cast<std::size_t>(select_tile_size(element_bytes, positions)) *
         ((staged ? element_bytes : sizeof(int)) + (positions ? 2 : 0));
}

}  // namespace

TEST_CASE("cuda selections: two tiles of any element fit every GPU's shared memory") {
  for (std::size_t bytes = 1; bytes <= 64; ++bytes) {
    INFO("bytes = " << bytes);
    for (const bool positions : {false, true})
      CHECK(2 * stage_bytes(bytes, positions) + select_block_overhead <= turing_shared + 1024);
  }
}

TEST_CASE("cuda selections: a thread loads 16 bytes where elements fill them") {
  for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u})
    CHECK(static_cast<std::size_t>(select_selection(bytes).items) * bytes == 16);
  CHECK(select_selection(12).items == 1);
  CHECK(select_selection(16).staged);
  CHECK(!select_selection(17).staged);
}

TEST_CASE("cuda selections: no more blocks than tiles, nor than can be resident") {
  CHECK(select_grid(1, 132, 3, stage_bytes(4), h200_shared) == 1);
  CHECK(select_grid(1 << 20, 132, 3, stage_bytes(4), h200_shared) == 3 * 132);
  CHECK(select_grid(1 << 20, 40, 3, stage_bytes(4), turing_shared) == 40);
  CHECK(select_grid(1 << 20, 132, 3, std::size_t{1} << 20, h200_shared) == 132);
}
