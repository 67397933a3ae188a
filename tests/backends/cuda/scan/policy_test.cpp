// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of scans on GPUs that this machine may lack.

#include "support/backends.hpp"

#include <cstddef>

#include <tandem/backends/cuda/scan/policy.hpp>

using namespace tandem::cuda_impl;

namespace {

/// The maximum shared memory per block.
struct gpu {
  int multiprocessors;
  std::size_t block_shared;
};

constexpr gpu turing{.multiprocessors = 68, .block_shared = 65536};
constexpr gpu a100{.multiprocessors = 108, .block_shared = 166912};
constexpr gpu ada{.multiprocessors = 128, .block_shared = 101376};
constexpr gpu h200{.multiprocessors = 132, .block_shared = 232448};

constexpr scan_shape chosen(tandem::index_t tiles, std::size_t element_bytes, const gpu& device) {
  return select_scan_shape(tiles, device.multiprocessors, element_bytes, device.block_shared);
}

}  // namespace

TEST_CASE("cuda scans: one tile per block where all blocks are resident at once, or nearly") {
  CHECK(chosen(1, 4, h200).blocks == 1);
  CHECK(chosen(256, 4, h200).stages == 1);
  CHECK(chosen(528, 4, h200).blocks == 528);
  CHECK(chosen(529, 4, h200).stages > 1);
  CHECK(chosen(792, 8, h200).stages == 1);
  CHECK(chosen(793, 8, h200).stages > 1);
}

TEST_CASE("cuda scans: blocks of an H200 keep six tiles, or more of small elements") {
  constexpr tandem::index_t many = 1 << 15;
  CHECK(chosen(many, 4, h200).blocks == 2 * 132);
  CHECK(chosen(many, 4, h200).stages == 6);
  CHECK(chosen(many, 8, h200).blocks == 132);
  CHECK(chosen(many, 8, h200).stages == 6);
  CHECK(chosen(many, 2, h200).blocks == 4 * 132);
  CHECK(chosen(many, 2, h200).stages == 6);
  CHECK(chosen(many, 1, h200).blocks == 4 * 132);
  CHECK(chosen(many, 1, h200).stages == max_scan_stages);
}

TEST_CASE("cuda scans: less shared memory means fewer blocks rather than too few stages") {
  constexpr tandem::index_t many = 1 << 15;
  CHECK(chosen(many, 4, a100).blocks == 108);
  CHECK(chosen(many, 4, a100).stages >= target_scan_stages);
  CHECK(chosen(many, 4, ada).blocks == 128);
  CHECK(chosen(many, 4, ada).stages == 5);
  CHECK(chosen(many, 4, turing).blocks == 68);
  CHECK(chosen(many, 4, turing).stages == min_scan_stages);
}

TEST_CASE("cuda scans: one tile per block where no pipeline fits") {
  constexpr tandem::index_t many = 1 << 15;
  CHECK(chosen(many, 8, turing).stages == 1);
  CHECK(chosen(many, 8, turing).blocks == many);
  CHECK(chosen(many, 12, h200).stages == 1);
  CHECK(chosen(many, 64, h200).blocks == many);
}

TEST_CASE("cuda scans: what is chosen fits the multiprocessor") {
  for (const gpu& device : {turing, a100, ada, h200}) {
    for (const std::size_t bytes : {1ul, 2ul, 4ul, 8ul}) {
      const scan_shape shape = chosen(1 << 20, bytes, device);
      if (shape.stages == 1) continue;
      CHECK(shape.stages >= min_scan_stages);
      CHECK(shape.stages <= max_scan_stages);
      const std::size_t block = static_cast<std::size_t>(shape.stages) * scan_stage_bytes(bytes);
      const auto blocks_per_sm = static_cast<std::size_t>(shape.blocks / device.multiprocessors);
      CHECK(blocks_per_sm * (block + scan_block_overhead) <= device.block_shared + 1024);
    }
  }
}

TEST_CASE("cuda scans: tile totals have stages that fit, and no more blocks than tiles") {
  const auto totals = [](tandem::index_t tiles, std::size_t element_bytes, const gpu& device) {
    return select_totals_shape(tiles, device.multiprocessors, element_bytes, device.block_shared);
  };
  constexpr tandem::index_t many = 1 << 15;
  CHECK(totals(many, 8, h200).blocks == 2 * 132);
  CHECK(totals(many, 8, h200).stages == most_totals_stages);
  CHECK(totals(many, 4, h200).blocks == 4 * 132);
  CHECK(totals(many, 8, turing).blocks == 68);
  CHECK(totals(many, 8, turing).stages == 1);
  CHECK(totals(many, 24, h200).stages == 1);
  CHECK(totals(7, 8, h200).blocks == 7);
}
