// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine that a plan chooses, and the line that it prints: a machine without a GPU checks both.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <variant>

#include <tandem/backends/cuda/matmul/plan.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;
using tandem::matmul_precision;
using tandem::matmul_problem;

namespace {

constexpr matmul_device a100{
    .multiprocessors = 108, .compute_capability = 80, .block_shared = 166912};
constexpr matmul_device turing{
    .multiprocessors = 68, .compute_capability = 75, .block_shared = 65536};
constexpr matmul_device h200{
    .multiprocessors = 132, .compute_capability = 90, .block_shared = 232448, .has_sm90a = true};

/// Describes `batch` row-major products without gaps, at addresses that are never read.
template <class T, class In = T>
matmul_problem<T, In> products(index_t batch, index_t m, index_t n, index_t k) {
  matmul_problem<T, In> p;
  p.batch = batch;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = reinterpret_cast<const In*>(std::uintptr_t{1} << 20);
  p.a_row = k;
  p.a_batch = m * k;
  p.b = reinterpret_cast<const In*>(std::uintptr_t{1} << 21);
  p.b_row = n;
  p.b_batch = k * n;
  p.c = reinterpret_cast<T*>(std::uintptr_t{1} << 22);
  p.c_row = n;
  p.c_batch = m * n;
  p.a_column = p.b_column = p.c_column = 1;
  return p;
}

template <class T, class In>
std::string line(const matmul_problem<T, In>& p, const matmul_device& device) {
  return explain(plan_matmul(p, device), p);
}

matmul_problem<float> with_precision(matmul_precision precision) {
  auto p = products<float>(1, 512, 512, 512);
  p.precision = precision;
  return p;
}

}  // namespace

TEST_CASE("cuda matmul plan: a product without elements runs nothing") {
  for (const auto& p :
       {products<float>(0, 4, 4, 4), products<float>(1, 0, 4, 4), products<float>(1, 4, 0, 4)}) {
    CHECK(std::holds_alternative<empty_plan>(plan_matmul(p, h200).engine));
  }
}

TEST_CASE("cuda matmul plan: one line names the kernel, the extents and the reason") {
  CHECK(line(products<float>(1, 4096, 4096, 4096), h200) ==
        "matmul f32 128x256 for 1 of m 4096, n 4096, k 4096: least estimated cost");
  CHECK(line(products<double>(3, 16, 16, 16), h200) ==
        "matmul f64 batched 16x16 for 3 of m 16, n 16, k 16: a batch of small products");
  CHECK(line(products<float>(10000, 64, 64, 64), h200) ==
        "matmul f32 panels 64x64 for 10000 of m 64, n 64, k 64: a long batch of products");
  CHECK(line(products<float>(1, 64, 64, 0), h200) ==
        "matmul naive for 1 of m 64, n 64, k 0: k is 0: nothing to multiply");
  CHECK(line(products<float, tandem::half>(1, 512, 512, 512), a100) ==
        "matmul mma.sync 64x64 for 1 of m 512, n 512, k 512: the device or this build lacks wgmma");
  CHECK(line(products<std::int32_t, std::int8_t>(1, 4096, 4096, 4096), h200) ==
        "matmul wgmma 128x256 for 1 of m 4096, n 4096, k 4096, c transposed: least estimated time");
}

TEST_CASE("cuda matmul plan: a precision that a device lacks falls back, and says so") {
  using enum matmul_precision;
  CHECK(std::holds_alternative<bf16x_plan>(plan_matmul(with_precision(bf16x6), h200).engine));
  CHECK(std::get<bf16x_plan>(plan_matmul(with_precision(bf16x9), h200).engine).products == 9);
  CHECK(std::holds_alternative<fma_plan>(plan_matmul(with_precision(bf16x6), a100).engine));
  CHECK(line(with_precision(bf16x6), a100).ends_with("; bf16 components need wgmma"));
  CHECK(std::holds_alternative<tensor_plan>(plan_matmul(with_precision(tf32), h200).engine));
  CHECK(std::holds_alternative<mma_plan>(plan_matmul(with_precision(tf32), a100).engine));
  CHECK(line(with_precision(tf32), turing).ends_with("; tf32 needs mma.sync of Ampere or later"));
  auto asked = with_precision(bf16x6);
  asked.kernel = tandem::matmul_kernel::tiled;
  CHECK(line(asked, a100) == "matmul tiled for 1 of m 512, n 512, k 512: asked for");
}

TEST_CASE("cuda matmul plan: batches that fill a TMA tile of doubles take it") {
  const auto batch = products<double>(1000, 64, 64, 64);
  CHECK(std::holds_alternative<fma_plan>(plan_matmul(batch, h200).engine));
  CHECK(std::holds_alternative<batched_plan>(plan_matmul(batch, a100).engine));
  CHECK(std::holds_alternative<batched_plan>(
      plan_matmul(products<double>(1000, 48, 48, 48), h200).engine));
}
