// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of tiles for floats in full precision and for doubles: a machine without a GPU checks
// it.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <variant>

#include <tandem/backends/cuda/matmul/plan.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr matmul_device h200{
    .multiprocessors = 132, .compute_capability = 90, .block_shared = 232448};

/// Describes a row-major product at aligned addresses that are never read.
template <class T = float>
tandem::matmul_problem<T> product(tandem::index_t m, tandem::index_t n, tandem::index_t k) {
  tandem::matmul_problem<T> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = reinterpret_cast<const T*>(std::uintptr_t{1} << 20);
  p.a_row = k;
  p.a_column = 1;
  p.b = reinterpret_cast<const T*>(std::uintptr_t{1} << 21);
  p.b_row = n;
  p.b_column = 1;
  p.c = reinterpret_cast<T*>(std::uintptr_t{1} << 22);
  p.c_row = n;
  p.c_column = 1;
  return p;
}

/// Returns the plan of a product, which must not be a batch of small products.
template <class T>
fma_plan plan_of(const tandem::matmul_problem<T>& p, const matmul_device& device = h200) {
  const auto plan = detail::choose_candidate(p, device);
  REQUIRE(plan.has_value());
  return *plan;
}

/// The name of the tile of c or of its transpose.
template <class T>
std::string chosen(const tandem::matmul_problem<T>& p, const matmul_device& device = h200) {
  const matmul_plan<T> plan = detail::plan_tiles(p, device);
  REQUIRE(std::holds_alternative<fma_plan>(plan.engine));
  const auto candidate = static_cast<std::size_t>(std::get<fma_plan>(plan.engine).candidate);
  return matmul_candidates<T>()[candidate].name;
}

/// Returns the reference kernel that a product runs.
tandem::matmul_kernel reference_of(const tandem::matmul_problem<float>& p) {
  const matmul_plan<float> plan = plan_matmul(p, h200);
  REQUIRE(std::holds_alternative<reference_plan>(plan.engine));
  return std::get<reference_plan>(plan.engine).kernel;
}

/// Whether few_rows/ computes a product.
template <class T>
bool runs_few_rows(const tandem::matmul_problem<T>& p) {
  return std::holds_alternative<few_rows_plan>(plan_matmul(p, h200).engine);
}

/// The plan of a product that few_rows/ computes.
template <class T>
few_rows_plan few_rows_of(const tandem::matmul_problem<T>& p) {
  const matmul_plan<T> plan = plan_matmul(p, h200);
  REQUIRE(std::holds_alternative<few_rows_plan>(plan.engine));
  return std::get<few_rows_plan>(plan.engine);
}

}  // namespace

TEST_CASE("cuda matmul plan: large tiles for large products, small ones for small") {
  CHECK(chosen(product(4096, 4096, 4096)) == "matmul f32 128x256");
  CHECK(chosen(product(8192, 8192, 8192)) == "matmul f32 128x256");
  CHECK(chosen(product(2048, 2048, 2048)) == "matmul f32 128x256");
  CHECK(chosen(product(5120, 5120, 256)) == "matmul f32 64x128");
  CHECK(chosen(product(1024, 1024, 1024)) == "matmul f32 64x128 by 8 warps");
  CHECK(chosen(product(1000, 1000, 1000)) == "matmul f32 64x128 by 8 warps");
  CHECK(chosen(product(65536, 64, 64)) == "matmul f32 128x64");
  CHECK(chosen(product(256, 256, 512)) == "matmul f32 16x32");
  CHECK(chosen(product(64, 64, 65536)) == "matmul f32 16x64");
  CHECK(chosen(product(16, 4096, 4096)) == "matmul f32 16x64");
  CHECK(chosen(product(4096, 16, 4096)) == "matmul f32 16x64");
}

TEST_CASE("cuda matmul plan: few rows or columns and a large matrix read the matrix once") {
  CHECK(few_rows_of(product(1, 8192, 8192)).split_k_slices == 8);
  CHECK(few_rows_of(product(1, 100000, 1000)).split_k_slices == 1);
  CHECK(few_rows_of(product(1, 1 << 20, 8192)).split_k_slices == 1);  // fills the device anyway
  CHECK(few_rows_of(product(1, 8191, 8191)).split_k_slices == 8);     // needs no alignment
  CHECK(few_rows_of(product(1, 8192, 8192)).vectorized);
  CHECK(!few_rows_of(product(1, 8191, 8191)).vectorized);
  CHECK(!few_rows_of(product(1, 8192, 8192)).b_k_major);
  CHECK(few_rows_of(product(8192, 1, 8192)).b_k_major);
  CHECK(plan_matmul(product(8192, 1, 8192), h200).transposes);
  CHECK(explain(plan_matmul(product(1, 8192, 8192), h200), product(1, 8192, 8192)) ==
        "matmul few rows, b along n for 1 of m 1, n 8192, k 8192, k in 8 slices: reads b once");
}

TEST_CASE_TEMPLATE("cuda matmul plan: few rows where that was fastest on an H200", T, float,
                   double) {
  const auto both = [](tandem::index_t m, tandem::index_t n, tandem::index_t k) {
    auto turned = product<T>(m, n, k);
    turned.b_row = 1;
    turned.b_column = k;
    CHECK(runs_few_rows(product<T>(m, n, k)) == runs_few_rows(turned));
    return runs_few_rows(turned);
  };
  const bool is_float = sizeof(T) == 4;
  for (const tandem::index_t side : {4096, 8192}) {
    CHECK(both(1, side, side));
    CHECK(both(2, side, side));
    CHECK(both(4, side, side) == is_float);
    CHECK(!both(8, side, side));
  }
  CHECK(both(1, 32000, 4096));
  CHECK(both(1, 4096, 11008));
  CHECK(both(1, 1000000, 100));
  for (const tandem::index_t side : {256, 512, 1024, 2048}) {
    CHECK(!both(1, side, side));
    CHECK(!both(2, side, side));
  }
  CHECK(!both(1, 1024, 512));
  CHECK(!both(1, 64, 65536));
  CHECK(!both(2, 10000, 200));
  CHECK(!both(1, 1, 1 << 24));
}

TEST_CASE("cuda matmul plan: few rows only if b is contiguous along k or along n") {
  const auto with_strides = [](tandem::index_t row, tandem::index_t column) {
    auto p = product(1, 8192, 8192);
    p.b_row = row;
    p.b_column = column;
    return p;
  };
  CHECK(few_rows_of(with_strides(1, 8192)).b_k_major);
  CHECK(few_rows_of(with_strides(1, 0)).b_k_major);
  CHECK(few_rows_of(with_strides(1, -9000)).b_k_major);
  CHECK(!few_rows_of(with_strides(8192, 1)).b_k_major);
  CHECK(!few_rows_of(with_strides(0, 1)).b_k_major);
  CHECK(!few_rows_of(with_strides(-8192, 1)).b_k_major);
  for (const tandem::index_t stride : {-8192, -1, 0, 2}) {
    CHECK(!runs_few_rows(with_strides(stride, 0)));
    CHECK(!runs_few_rows(with_strides(stride, 8192)));
    CHECK(!runs_few_rows(with_strides(8192, stride)));
  }
  auto one_term = product(1, 10000000, 1);  // whose stride along k means nothing
  one_term.b_row = 1;
  CHECK(!few_rows_of(one_term).b_k_major);
  one_term.b_column = 2;
  CHECK(!runs_few_rows(one_term));
}

TEST_CASE("cuda matmul plan: a long k of a small c is divided by chunks") {
  const fma_plan skinny = plan_of(product(64, 64, 65536));
  CHECK(skinny.split_k_slices == 64);
  CHECK(plan_of(product(4096, 4096, 4096)).split_k_slices == 1);
  CHECK(plan_of(product(64, 64, 1024)).split_k_slices == 1);
}

TEST_CASE("cuda matmul plan: what is asked for is what runs") {
  auto p = product(512, 512, 512);
  p.kernel = tandem::matmul_kernel::tiled;
  CHECK(reference_of(p) == tandem::matmul_kernel::tiled);
  p.kernel = tandem::matmul_kernel::naive;
  CHECK(reference_of(p) == tandem::matmul_kernel::naive);
  CHECK(reference_of(product(512, 512, 0)) == tandem::matmul_kernel::naive);
  CHECK(reference_of(product(tandem::index_t{1} << 31, 1, 2)) == tandem::matmul_kernel::naive);
}

TEST_CASE("cuda matmul plan: 16-byte copies only where addresses allow them") {
  auto p = product(4096, 4096, 4096);
  CHECK(plan_of(p).b == operand_major::mn_major);
  CHECK(plan_of(p).vectorized);
  p.b = reinterpret_cast<const float*>((std::uintptr_t{1} << 21) + 4);
  CHECK(plan_of(p).b == operand_major::mn_major);
  CHECK(plan_of(p).pack_b);
  const auto odd = product(64, 4095, 128);
  CHECK(!plan_of(odd).vectorized);
  CHECK(!plan_of(odd).pack_b);
}

TEST_CASE("cuda matmul plan: a large b is packed where 16-byte copies cannot read it") {
  CHECK(!plan_of(product(4096, 4096, 4096)).pack_b);
  for (const tandem::index_t odd : {1023, 4095, 8191}) {
    const fma_plan plan = plan_of(product(odd, odd, odd));
    CHECK(plan.pack_b);
    CHECK(plan.vectorized);
    CHECK(plan.b == operand_major::mn_major);
    CHECK(plan.split_k_slices == 1);
  }
  auto turned = product(4096, 4096, 4096);
  turned.b_row = 1;
  turned.b_column = 4096;
  CHECK(plan_of(turned).pack_b);
  turned.n = tandem::index_t{1} << 20;
  CHECK(!plan_of(turned).pack_b);  // would copy 16 GiB
  CHECK(!plan_of(product<double>(8191, 8191, 8191)).pack_b);
}

TEST_CASE("cuda matmul plan: fp64 copies pairs only of aligned rows and even extents") {
  const auto wide = [](tandem::index_t m, tandem::index_t n, tandem::index_t k) {
    return plan_of(product<double>(m, n, k)).vectorized;
  };
  CHECK(wide(4096, 4096, 4096));
  CHECK(wide(4095, 4096, 4096));
  CHECK(!wide(4096, 4096, 4095));
  CHECK(!wide(4096, 4095, 4096));
  CHECK(!wide(8191, 8191, 8191));
}

TEST_CASE("cuda matmul plan: fp64 takes the tiles that were fastest on an H200") {
  const auto tile = [](tandem::index_t m, tandem::index_t n, tandem::index_t k) {
    return chosen(product<double>(m, n, k));
  };
  CHECK(tile(65536, 64, 64) == "matmul f64 32x64");
  CHECK(tile(256, 256, 512) == "matmul f64 16x32");
  CHECK(tile(64, 64, 65536) == "matmul f64 16x32");
  CHECK(tile(16, 4096, 4096) == "matmul f64 16x32");
  CHECK(tile(1024, 1024, 1024) == "matmul f64 64x128");
  CHECK(tile(8192, 8192, 8192) == "matmul f64 128x128");
  CHECK(tile(8191, 8191, 8191) == "matmul f64 64x128");
}

TEST_CASE("cuda matmul plan: tensor copies bring fp64 tiles where they can and k is one chunk") {
  matmul_device device = h200;
  device.has_sm90a = true;
  const auto tile = [&](const tandem::matmul_problem<double>& p) { return chosen(p, device); };
  const std::string wide = "matmul f64 128x64 by TMA";
  const std::string small = "matmul f64 64x64 by TMA";
  CHECK(tile(product<double>(5120, 5120, 256)) == wide);
  CHECK(tile(product<double>(4096, 4096, 1024)) == wide);
  CHECK(tile(product<double>(65536, 64, 64)) == small);
  CHECK(tile(product<double>(1024, 1024, 1024)) == "matmul f64 64x128");
  CHECK(tile(product<double>(256, 256, 512)) == "matmul f64 16x32");
  CHECK(tile(product<double>(4096, 4096, 1028)) == "matmul f64 128x128");
  CHECK(tile(product<double>(2048, 2048, 2048)) == "matmul f64 128x128");

  auto batch = product<double>(128, 128, 128);
  batch.batch = 1024;
  batch.a_batch = batch.b_batch = batch.c_batch = 128 * 128;
  CHECK(tile(batch) == wide);
  batch.m = batch.n = batch.k = 64;
  CHECK(tile(batch) == small);

  auto odd = product<double>(5120, 5120, 254);
  CHECK(tile(odd) != wide);  // copies pad to 4 terms: more would add a zero to a sum of -0
  odd = product<double>(5120, 5120, 256);
  odd.a += 1;
  CHECK(tile(odd) != wide);
  odd = product<double>(5120, 5120, 256);
  odd.a_row = -256;
  CHECK(tile(odd) != wide);
}

TEST_CASE("cuda matmul plan: what a small device lacks in shared memory is not chosen") {
  constexpr matmul_device small{.multiprocessors = 40, .block_shared = 65536};
  const fma_plan plan = plan_of(product(4096, 4096, 4096), small);
  const matmul_tile& tile = f32_candidates[plan.candidate].tile;
  CHECK(tile.shared_bytes(sizeof(float), plan.split_k_slices == 1) <= small.block_shared);
}

TEST_CASE("matmul plan: pieces of large products are added to totals by the largest tile") {
  const auto continues = [](const auto& p, const matmul_device& device) {
    const auto plan = plan_fma_continuation(p, device);
    const auto* const fma = std::get_if<fma_plan>(&plan.engine);
    if (fma == nullptr) {
      CHECK(std::holds_alternative<empty_plan>(plan.engine));
      return false;
    }
    CHECK(fma->candidate == continuing_candidate);
    CHECK(fma->continues);
    CHECK(fma->split_k_slices == 1);
    return true;
  };
  CHECK(continues(product(4096, 4096, 4096), h200));
  CHECK(continues(product<double>(4096, 4096, 4096), h200));
  // Single chunks fill the device better, and reach elements that 16-byte copies do not.
  CHECK_FALSE(continues(product(1024, 1024, 4096), h200));
  CHECK_FALSE(continues(product(4096, 4097, 4096), h200));
  CHECK_FALSE(continues(product<double>(4096, 4096, 4095), h200));
  auto asked = product(4096, 4096, 4096);
  asked.kernel = tandem::matmul_kernel::naive;
  CHECK_FALSE(continues(asked, h200));
  matmul_device small = h200;
  small.block_shared = 65536;
  CHECK_FALSE(continues(product(4096, 4096, 4096), small));
}
