// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of batches for the kernel of small products is plain C++: a machine without a GPU
// checks it.

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tandem/backends/cuda/matmul/plan/f32_f64.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr std::size_t h200_shared = 232448;
constexpr std::size_t least_shared = 65536;  // sm_75

template <class T>
tandem::matmul_problem<T> batch_of(tandem::index_t batch, tandem::index_t m, tandem::index_t n,
                                   tandem::index_t k) {
  tandem::matmul_problem<T> p;
  p.batch = batch;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a_batch = m * k;
  p.b_batch = k * n;
  p.c_batch = m * n;
  return p;
}

template <class T>
std::string chosen(const tandem::matmul_problem<T>& p, std::size_t shared = h200_shared) {
  const int tile = choose_batched(p, shared);
  return tile < 0 ? "none" : batched_candidates<T>()[static_cast<std::size_t>(tile)].name;
}

/// Describes `batch` row-major products without gaps.
template <class T>
tandem::matmul_problem<T> rows_of(tandem::index_t batch, tandem::index_t m, tandem::index_t n,
                                  tandem::index_t k) {
  auto p = batch_of<T>(batch, m, n, k);
  p.a_row = k;
  p.b_row = p.c_row = n;
  p.a_column = p.b_column = p.c_column = 1;
  return p;
}

template <class T>
std::string panels_for(const tandem::matmul_problem<T>& p, std::size_t shared = h200_shared) {
  const int tile = choose_panels(p, 132, shared);
  return tile < 0 ? "none" : batched_candidates<T>()[static_cast<std::size_t>(tile)].name;
}

}  // namespace

TEST_CASE("cuda batched matmul plan: long batches of middle-sized products go by panels") {
  CHECK(panels_for(rows_of<float>(10000, 48, 48, 48)) == "matmul f32 panels 48x48");
  CHECK(panels_for(rows_of<float>(10000, 32, 64, 1024)) == "matmul f32 panels 64x64");
  CHECK(panels_for(rows_of<float>(10000, 70, 48, 12)) == "matmul f32 panels 96x96");
  CHECK(panels_for(rows_of<double>(10000, 96, 96, 96)) == "matmul f64 panels 96x48");
}

TEST_CASE("cuda batched matmul plan: what does not go by panels") {
  CHECK(panels_for(rows_of<float>(10000, 32, 32, 32)) == "none");
  CHECK(panels_for(rows_of<float>(10000, 48, 1000, 48)) == "none");
  CHECK(panels_for(rows_of<float>(10000, 20, 48, 48)) == "none");
  CHECK(panels_for(rows_of<float>(100, 48, 48, 48)) == "none");
  CHECK(panels_for(rows_of<float>(10000, 48, 48, 1028)) == "none");
  CHECK(panels_for(rows_of<float>(10000, 48, 48, 50)) == "none");
  CHECK(panels_for(rows_of<float>(10000, 48, 46, 48)) == "none");
  CHECK(panels_for(rows_of<double>(10000, 96, 96, 96), least_shared) == "none");
  auto columns = rows_of<float>(10000, 48, 48, 48);
  std::swap(columns.b_row, columns.b_column);
  CHECK(panels_for(columns) == "none");
  auto asked = rows_of<float>(10000, 48, 48, 48);
  asked.kernel = tandem::matmul_kernel::naive;
  CHECK(panels_for(asked) == "none");
}

TEST_CASE("cuda batched matmul plan: blocks of panels are whole warps and fit an H200") {
  const auto check = []<class T>(T) {
    for (const batched_candidate& candidate : batched_candidates<T>()) {
      const batched_tile& tile = candidate.tile;
      if (tile.panel == 0) continue;
      CAPTURE(candidate.name);
      CHECK(tile.panels() * tile.panel == tile.size);
      CHECK(tile.threads % 32 == 0);
      CHECK(tile.threads * tile.rows * tile.columns == tile.size * tile.panel);
      CHECK(tile.depth % 8 == 0);
      CHECK(lay_out_panel(tile).a_first % tandem::cuda_impl::vector_width<T> == 0);
      CHECK(static_cast<std::size_t>(tile.min_blocks_per_sm) * (panel_bytes<T>(tile) + 1024) <=
            h200_shared + 1024);
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE("cuda batched matmul plan: the smallest tile that holds a product") {
  CHECK(chosen(batch_of<float>(10000, 4, 4, 4)) == "matmul f32 batched 4x4");
  CHECK(chosen(batch_of<float>(10000, 5, 3, 4)) == "matmul f32 batched 8x8");
  CHECK(chosen(batch_of<float>(10000, 32, 32, 32)) == "matmul f32 batched 32x32");
  CHECK(chosen(batch_of<double>(10000, 1, 17, 300)) == "matmul f64 batched 32x32");
  CHECK(chosen(batch_of<double>(10000, 64, 64, 64)) == "matmul f64 batched 64x64");
}

TEST_CASE("cuda batched matmul plan: large products, single ones and several chunks go elsewhere") {
  CHECK(chosen(batch_of<float>(10000, 65, 4, 4)) == "none");
  CHECK(chosen(batch_of<double>(10000, 4, 65, 4)) == "none");
  CHECK(chosen(batch_of<float>(1, 4, 4, 4)) == "none");
  CHECK(chosen(batch_of<float>(10000, 4, 4, 1025)) == "none");
  CHECK(chosen(batch_of<float>(10000, 4, 4, 0)) == "none");
  auto asked = batch_of<float>(10000, 4, 4, 4);
  asked.kernel = tandem::matmul_kernel::naive;
  CHECK(chosen(asked) == "none");
}

TEST_CASE("cuda batched matmul plan: as many blocks share a multiprocessor as its memory holds") {
  CHECK(blocks_per_sm(h200_shared, 0, 10) == 10);
  CHECK(blocks_per_sm(h200_shared, h200_shared, 10) == 1);
  CHECK(blocks_per_sm(h200_shared, h200_shared / 2, 10) == 1);  // each block takes 1 KiB more
  CHECK(blocks_per_sm(h200_shared, h200_shared / 2 - 512, 10) == 2);
}

TEST_CASE("cuda batched matmul plan: every tile fits the least shared memory or is passed over") {
  for (const tandem::index_t size : {4, 8, 16, 32}) {
    CHECK(chosen(batch_of<float>(1000, size, size, 1024), least_shared) != "none");
    CHECK(chosen(batch_of<double>(1000, size, size, 1024), least_shared) != "none");
  }
}

TEST_CASE("cuda batched matmul plan: teams fill their blocks and rows are whole 16 bytes") {
  const auto check = []<class T>(T) {
    for (const batched_candidate& candidate : batched_candidates<T>()) {
      const batched_tile& tile = candidate.tile;
      if (tile.panel > 0) continue;
      CAPTURE(candidate.name);
      CHECK(tile.products() * tile.team() == tile.threads);
      CHECK(tile.columns % tandem::cuda_impl::vector_width<T> == 0);
      CHECK(tile.depth % 8 == 0);
      for (const tandem::index_t k : {1, 2, 7, 31, 100}) {
        const batched_layout layout = lay_out(batch_of<T>(9, 3, 3, k), tile, false);
        CHECK(layout.stage % tandem::cuda_impl::vector_width<T> == 0);
        CHECK(layout.b_first % tandem::cuda_impl::vector_width<T> == 0);
      }
    }
  };
  check(float{});
  check(double{});
}
