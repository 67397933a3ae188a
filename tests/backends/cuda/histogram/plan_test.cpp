// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend plans histograms in plain C++, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include <tandem/backends/cuda/histogram/plan.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

namespace {

constexpr std::size_t h200_shared = 232448 - 256;
constexpr std::size_t turing_shared = 65536 - 256;

histogram_request request(index_t bins, index_t size) {
  return {.bins = bins, .size = size, .multiprocessors = 132, .block_shared = h200_shared};
}

/// Checks what holds for every plan with bins in shared memory.
void check_shared(const histogram_request& asked) {
  const histogram_plan plan = plan_histogram(asked);
  INFO("bins = " << asked.bins << ", size = " << asked.size);
  CHECK(plan.shared);
  CHECK(plan.shared_bytes <= asked.block_shared);
  CHECK(plan.bins_bytes % 16 == 0);
  CHECK(plan.bins_bytes >= (plan.slice + 1) * plan.copies * asked.bin_bytes);
  CHECK(index_t{plan.slice} * plan.slices >= asked.bins);
  CHECK(plan.copies >= 1);
  CHECK((plan.copies & (plan.copies - 1)) == 0);
  CHECK(plan.blocks >= 1);
  if (plan.table_shared) {
    const std::size_t table =
        asked.table_bytes + (std::size_t{plan.slice} + 1) * asked.table_edge_bytes;
    CHECK(plan.bins_bytes + table <= plan.shared_bytes);
  }
}

}  // namespace

TEST_CASE("cuda histogram plan: few bins have a copy per lane, many have one") {
  CHECK(plan_histogram(request(256, 1 << 27)).copies == 32);
  CHECK(plan_histogram(request(50000, 1 << 27)).copies == 1);
  CHECK(plan_histogram(request(50000, 1 << 27)).slices == 1);
  CHECK(plan_histogram(request(65536, 1 << 27)).slices == 2);
}

TEST_CASE("cuda histogram plan: one block per multiprocessor, and no more than there is to read") {
  CHECK(plan_histogram(request(256, 1 << 27)).blocks == 132);
  CHECK(plan_histogram(request(65536, 1 << 27)).blocks == 66);
  CHECK(plan_histogram(request(256, 1000)).blocks == 1);
  CHECK(plan_histogram(request(256, 0)).blocks == 1);
  const index_t huge = index_t{1} << 40;  // each block counts in 32 bits
  CHECK(plan_histogram(request(256, huge)).blocks >= huge >> 31);
}

TEST_CASE("cuda histogram plan: everything fits shared memory, tables included") {
  for (const std::size_t shared : {h200_shared, turing_shared}) {
    for (const index_t bins : {1, 31, 150, 1000, 4096, 10000, 14000, 60000}) {
      for (const index_t size : {0, 1, 100000, 1 << 30}) {
        for (const std::size_t bin_bytes : {4u, 8u, 16u}) {
          for (const std::size_t edge_bytes : {0u, 4u, 8u}) {
            histogram_request asked = request(bins, size);
            asked.block_shared = shared;
            asked.bin_bytes = bin_bytes;
            asked.table_edge_bytes = edge_bytes;
            if (plan_histogram(asked).shared) check_shared(asked);
            asked.table_edge_bytes = 0;
            asked.table_bytes = plan_edge_table(bins, edge_bytes).bytes;
            if (plan_histogram(asked).shared) check_shared(asked);
          }
        }
      }
    }
  }
}

TEST_CASE("cuda histogram plan: bins beyond six slices are in global memory, with hot ones") {
  const histogram_plan large = plan_histogram(request(1 << 20, 1 << 27));
  CHECK(!large.shared);
  CHECK(!large.table_shared);
  CHECK(large.slots == max_hot_slots);
  CHECK(large.shared_bytes == 8 * max_hot_slots);
  CHECK(plan_histogram(request(1 << 20, 1000)).slots == 0);
  histogram_request sums = request(1 << 20, 1 << 27);
  sums.bin_bytes = 16;
  CHECK(plan_histogram(sums).slots == max_hot_slots);
  CHECK(plan_histogram(sums).shared_bytes == 20 * max_hot_slots);
  sums.block_shared = turing_shared;
  CHECK(plan_histogram(sums).slots == 2048);
  CHECK(plan_histogram(sums).shared_bytes <= turing_shared);
}

TEST_CASE("cuda histogram plan: an optional table gives way where it does not fit") {
  histogram_request asked = request(1000, 1 << 27);
  asked.table_bytes = plan_edge_table(1000, 4).bytes;
  CHECK(plan_optional_table(asked).table_shared);
  asked = request(50000, 1 << 27);
  asked.table_bytes = plan_edge_table(50000, 4).bytes;
  const histogram_plan plan = plan_optional_table(asked);
  CHECK(!plan.table_shared);
  CHECK(plan.shared);
  CHECK(plan.slices == 1);
}

TEST_CASE("cuda histogram plan: eight cells per bin, as long as there is room") {
  CHECK(plan_edge_table(1, 4).last == 254);
  CHECK(plan_edge_table(100, 4).last == 1022);
  CHECK(plan_edge_table(1000, 4).last == 8190);
  CHECK(plan_edge_table(1000, 4).bytes == 8192 * 8 + 1001 * 4);
  CHECK(plan_edge_table(1000, 8).last == 4094);
  CHECK(plan_edge_table(10000, 1).last == 8190);
}
