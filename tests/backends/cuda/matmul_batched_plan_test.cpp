// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which batches go to the kernel of small products is plain C++: a machine without a GPU checks it.

#include <doctest/doctest.h>

#include <string>

#include <tandem/backends/cuda/matmul_batched.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr std::size_t h200_shared = 232448;
constexpr std::size_t least_shared = 65536;  // of sm_75

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

}  // namespace

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
      CAPTURE(candidate.name);
      CHECK(tile.products() * tile.team() == tile.threads);
      CHECK(tile.columns % tandem::cuda_impl::matmul_width<T> == 0);
      CHECK(tile.depth % 8 == 0);
      for (const tandem::index_t k : {1, 2, 7, 31, 100}) {
        const batched_layout layout = lay_out(batch_of<T>(9, 3, 3, k), tile, false);
        CHECK(layout.stage % tandem::cuda_impl::matmul_width<T> == 0);
        CHECK(layout.b_first % tandem::cuda_impl::matmul_width<T> == 0);
      }
    }
  };
  check(float{});
  check(double{});
}
