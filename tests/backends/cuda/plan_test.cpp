// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend's choices are plain C++: a machine without a GPU checks them.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <tandem/backends/cuda/matmul_plan.hpp>
#include <tandem/backends/cuda/policy.hpp>
#include <tandem/backends/cuda/reduce_policy.hpp>
#include <tandem/backends/cuda/scan_policy.hpp>
#include <tandem/backends/cuda/word_box.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr matmul_device h200{.multiprocessors = 132, .block_shared = 232448};

/// A row-major product at aligned addresses that are never read.
tandem::matmul_problem<float> product(tandem::index_t m, tandem::index_t n, tandem::index_t k) {
  tandem::matmul_problem<float> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = reinterpret_cast<const float*>(std::uintptr_t{1} << 20);
  p.a_row = k;
  p.a_column = 1;
  p.b = reinterpret_cast<const float*>(std::uintptr_t{1} << 21);
  p.b_row = n;
  p.b_column = 1;
  p.c = reinterpret_cast<float*>(std::uintptr_t{1} << 22);
  p.c_row = n;
  p.c_column = 1;
  return p;
}

std::string chosen(const tandem::matmul_problem<float>& p) {
  const matmul_plan plan = plan_matmul(oriented(p), h200);
  return f32_candidates[plan.candidate].name;
}

}  // namespace

TEST_CASE("cuda matmul plan: large tiles for large products, small ones for small") {
  CHECK(chosen(product(4096, 4096, 4096)) == "matmul f32 128x256");
  CHECK(chosen(product(256, 256, 512)) != "matmul f32 128x256");
  CHECK(chosen(product(16, 4096, 4096)) == "matmul f32 16x64");
  CHECK(chosen(product(4096, 16, 4096)) == "matmul f32 16x64");
}

TEST_CASE("cuda matmul plan: a long k of a small c is divided by chunks") {
  const matmul_plan skinny = plan_matmul(product(64, 64, 65536), h200);
  CHECK(skinny.parts == 64);
  CHECK(plan_matmul(product(4096, 4096, 4096), h200).parts == 1);
  CHECK(plan_matmul(product(64, 64, 1024), h200).parts == 1);
}

TEST_CASE("cuda matmul plan: what is asked for is what runs") {
  auto p = product(512, 512, 512);
  p.kernel = tandem::matmul_kernel::tiled;
  CHECK(plan_matmul(p, h200).kernel == tandem::matmul_kernel::tiled);
  p.kernel = tandem::matmul_kernel::naive;
  CHECK(plan_matmul(p, h200).kernel == tandem::matmul_kernel::naive);
  CHECK(plan_matmul(product(512, 512, 0), h200).kernel == tandem::matmul_kernel::naive);
  CHECK(plan_matmul(product(tandem::index_t{1} << 31, 1, 2), h200).kernel ==
        tandem::matmul_kernel::naive);
}

TEST_CASE("cuda matmul plan: 16-byte copies only where addresses allow them") {
  auto p = product(4096, 4096, 4096);
  CHECK(plan_matmul(p, h200).b == matmul_access::along_outer_wide);
  p.b = reinterpret_cast<const float*>((std::uintptr_t{1} << 21) + 4);
  CHECK(plan_matmul(p, h200).b == matmul_access::along_outer);
  CHECK(plan_matmul(product(4096, 4095, 4096), h200).b == matmul_access::along_outer);
}

TEST_CASE("cuda loops: several indices a thread only where every multiprocessor has tiles") {
  CHECK(!unrolls(1 << 16, 90, 132));
  CHECK(unrolls(1 << 20, 90, 132));
  CHECK(unrolls(tandem::index_t{1} << 33, 75, 40));
}

TEST_CASE("cuda loops: blocks take the shape of their grid") {
  const block_shape square = grid_block(1000, 1000, 1);
  CHECK(square.x == 32);
  CHECK(square.y == 8);
  const block_shape tall = grid_block(1, 1000, 1);
  CHECK(tall.x == 1);
  CHECK(tall.y == 256);
  const block_shape flat = grid_block(1000, 1, 1);
  CHECK(flat.x == 256);
  for (const tandem::index_t nz : {1, 3, 1000}) {
    const block_shape any = grid_block(5, 7, nz);
    CHECK(any.x * any.y * any.z <= most_block_threads);
  }
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
