// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend's choices are plain C++: a machine without a GPU checks them.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <tandem/backends/cuda/matmul/plan/f32_f64.hpp>
#include <tandem/backends/cuda/memory/word_box.hpp>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/backends/cuda/runtime/result_mailbox.hpp>
#include <tandem/backends/cuda/scan/policy.hpp>

using namespace tandem::cuda_impl;

namespace {

constexpr matmul_device h200{.multiprocessors = 132, .block_shared = 232448};

/// A row-major product at aligned addresses that are never read.
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

std::string chosen(const tandem::matmul_problem<float>& p) {
  const matmul_plan plan = plan_matmul(oriented(p), h200);
  return f32_candidates[plan.candidate].name;
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

TEST_CASE("cuda matmul plan: a long k of a small c is divided by chunks") {
  const matmul_plan skinny = plan_matmul(product(64, 64, 65536), h200);
  CHECK(skinny.split_k_slices == 64);
  CHECK(plan_matmul(product(4096, 4096, 4096), h200).split_k_slices == 1);
  CHECK(plan_matmul(product(64, 64, 1024), h200).split_k_slices == 1);
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
  CHECK(plan_matmul(p, h200).b == operand_major::mn_major);
  CHECK(plan_matmul(p, h200).vectorized);
  p.b = reinterpret_cast<const float*>((std::uintptr_t{1} << 21) + 4);
  CHECK(plan_matmul(p, h200).b == operand_major::mn_major);
  CHECK(plan_matmul(p, h200).pack_b);
  const auto odd = product(64, 4095, 128);
  CHECK(!plan_matmul(odd, h200).vectorized);
  CHECK(!plan_matmul(odd, h200).pack_b);
}

TEST_CASE("cuda matmul plan: a large b is packed where 16-byte copies cannot read it") {
  CHECK(!plan_matmul(product(4096, 4096, 4096), h200).pack_b);
  for (const tandem::index_t odd : {1023, 4095, 8191}) {
    const matmul_plan plan = plan_matmul(product(odd, odd, odd), h200);
    CHECK(plan.pack_b);
    CHECK(plan.vectorized);
    CHECK(plan.b == operand_major::mn_major);
    CHECK(plan.split_k_slices == 1);
  }
  auto turned = product(4096, 4096, 4096);
  turned.b_row = 1;
  turned.b_column = 4096;
  CHECK(plan_matmul(turned, h200).pack_b);
  turned.n = tandem::index_t{1} << 20;
  CHECK(!plan_matmul(turned, h200).pack_b);  // 16 GiB of copies
  CHECK(!plan_matmul(product<double>(8191, 8191, 8191), h200).pack_b);
}

TEST_CASE("cuda matmul plan: fp64 copies pairs only of aligned rows and even extents") {
  const auto wide = [](tandem::index_t m, tandem::index_t n, tandem::index_t k) {
    return plan_matmul(product<double>(m, n, k), h200).vectorized;
  };
  CHECK(wide(4096, 4096, 4096));
  CHECK(wide(4095, 4096, 4096));
  CHECK(!wide(4096, 4096, 4095));
  CHECK(!wide(4096, 4095, 4096));
  CHECK(!wide(8191, 8191, 8191));
}

TEST_CASE("cuda matmul plan: fp64 takes the tiles that were fastest on an H200") {
  const auto tile = [](tandem::index_t m, tandem::index_t n, tandem::index_t k) {
    const auto plan = plan_matmul(oriented(product<double>(m, n, k)), h200);
    return std::string(f64_candidates[plan.candidate].name);
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
  device.has_tma = true;
  const auto tile = [&](const tandem::matmul_problem<double>& p) {
    return std::string(f64_candidates[plan_matmul(oriented(p), device).candidate].name);
  };
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
  CHECK(tile(odd) != wide);  // copies are of 4 terms: more would add a zero to a sum of -0
  odd = product<double>(5120, 5120, 256);
  odd.a += 1;
  CHECK(tile(odd) != wide);
  odd = product<double>(5120, 5120, 256);
  odd.a_row = -256;
  CHECK(tile(odd) != wide);
}

TEST_CASE("cuda matmul plan: what a small device lacks in shared memory is not chosen") {
  constexpr matmul_device small{.multiprocessors = 40, .block_shared = 65536};
  const matmul_plan plan = plan_matmul(product(4096, 4096, 4096), small);
  CHECK(plan.kernel == tandem::matmul_kernel::automatic);
  const matmul_tile& tile = f32_candidates[plan.candidate].tile;
  CHECK(tile.shared_bytes(sizeof(float), plan.split_k_slices == 1) <= small.block_shared);
}

TEST_CASE("cuda loops: several indices a thread only where every multiprocessor has threads") {
  CHECK(!unrolls(1 << 16, 90, 132));
  CHECK(unrolls(1 << 20, 90, 132));
  CHECK(unrolls(tandem::index_t{1} << 33, 75, 40));
}

TEST_CASE("cuda loops: a thread takes 16 bytes of elements whose size is known") {
  CHECK(items_of(1) == loops.items);
  CHECK(items_of(4) == 4);
  CHECK(items_of(8) == 2);
  CHECK(items_of(16) == 1);
  CHECK(items_of(256) == 1);
}

TEST_CASE("cuda loops: blocks take the shape of their grid") {
  const block_shape square = grid_block(1000, 1000, 1);
  CHECK(square.x == 64);
  CHECK(square.y == 2);
  const block_shape tall = grid_block(1, 1000, 1);
  CHECK(tall.x == 1);
  CHECK(tall.y == loops.block);
  const block_shape flat = grid_block(1000, 1, 1);
  CHECK(flat.x == loops.block);
  for (const tandem::index_t nz : {1, 3, 1000}) {
    const block_shape any = grid_block(5, 7, nz);
    CHECK(any.x * any.y * any.z <= loops.block);
  }
}

TEST_CASE("cuda loops: products that stand for quotients are exact") {
  for (const unsigned divisor : {1u, 2u, 3u, 5u, 7u, 40u, 100u, 127u, 641u, 65535u, 65536u,
                                 1000003u, (1u << 30) + 1, (1u << 31) - 1}) {
    const fast_divisor by = divide_by(divisor);
    for (const unsigned multiple : {0u, 1u, 2u, 1000u, ((1u << 31) - 1) / divisor}) {
      for (const unsigned offset : {0u, 1u, divisor - 1}) {
        const unsigned long long number = 1ull * multiple * divisor + offset;
        if (number >= 1ull << 31) continue;
        CHECK(by.quotient(static_cast<unsigned>(number)) == number / divisor);
      }
    }
  }
}

TEST_CASE("cuda launches: a kernel starts early only where its code can wait") {
  CHECK(code_waits({900}, 90));
  CHECK(code_waits({750, 800, 900, 1000, 1200}, 90));
  CHECK(code_waits({750, 800, 900, 1000, 1200}, 120));
  CHECK(code_waits({900}, 100));
  CHECK(code_waits({1000}, 103));
  CHECK(!code_waits({750, 800}, 90));
  CHECK(!code_waits({800, 900}, 100));
  CHECK(!code_waits({800, 900}, 80));
  CHECK(!code_waits({800, 1030}, 100));
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

TEST_CASE("cuda reductions: small grids are small blocks on all multiprocessors") {
  const reduce_grid tiny = select_grid(1, 8, lane_units, 132);
  CHECK(tiny.blocks == 1);
  CHECK(tiny.warps == 1);
  CHECK(tiny.each == 1);
  const reduce_grid million = select_grid(256, 8, lane_units, 132);  // 2^20 floats
  CHECK(million.blocks == 256);
  CHECK(million.warps == 1);
}

TEST_CASE("cuda reductions: a grid fits the machine or is several times as large") {
  for (tandem::index_t units = 1; units < (1 << 20); units += 1 + units / 7) {
    const reduce_grid grid = select_grid(units, 8, lane_units, 132);
    CHECK(grid.blocks * grid.warps * grid.each >= units);
    CHECK((grid.blocks - 1) * grid.warps * grid.each < units);
    const tandem::index_t warps = (units + grid.each - 1) / grid.each;
    if (grid.each > 1) CHECK(warps >= 15 * 132);
  }
  CHECK(select_grid(4096, 8, lane_units, 132).each == 2);   // 2^24 floats
  CHECK(select_grid(15840, 8, lane_units, 132).each == 2);  // the first that does not fit
  CHECK(select_grid(32768, 8, lane_units, 132).each == 2);  // 2^27
  CHECK(select_grid(32768, 4, narrow_units, 132).each == 4);
  CHECK(select_grid(131072, 8, extreme_units, 132).each == 8);
}

TEST_CASE("cuda reductions: the host combines the blocks of small grids") {
  const reduce_grid small = select_host_grid(16, 8, 1);  // 2^16 floats
  CHECK(small.blocks == 16);
  CHECK(small.warps == 1);
  const reduce_grid million = select_host_grid(256, 8, 1);
  CHECK(million.blocks == 64);
  CHECK(million.warps == 4);
  CHECK(select_host_grid(513, 8, 1).blocks == 0);
  CHECK(select_host_grid(512, 8, 1).blocks == 64);
  CHECK(select_host_grid(512, 8, 4).blocks == 0);
  CHECK(select_host_grid(1, 8, 64).blocks == 1);
}

TEST_CASE("cuda reductions: blocks share tiles of small grids, more of them where they are many") {
  const int floats = most_small_tiles(2048, 4 * 2048);
  CHECK(floats == 4);
  CHECK(most_small_tiles(512, 32 * 512) == 2);
  CHECK(most_small_tiles(512, 64 * 512) == 1);
  CHECK(most_small_tiles(512, 128 * 512) == 0);
  const auto grid = [&](tandem::index_t tiles) { return select_small_grid(tiles, floats, 1); };
  CHECK(grid(1).blocks == 1);
  CHECK(grid(16).blocks == 16);
  CHECK(grid(16).tiles == 1);
  CHECK(grid(17).blocks == 9);
  CHECK(grid(32).tiles == 2);
  CHECK(grid(33).tiles == 4);
  CHECK(grid(512).blocks == 128);  // 2^20 floats
  CHECK(grid(513).blocks == 0);
  CHECK(select_small_grid(128, 4, 4).blocks == 32);
  CHECK(select_small_grid(129, 4, 4).blocks == 0);
}

TEST_CASE("cuda mailbox: words say which call sent them") {
  CHECK(next_call(0) == 1);
  CHECK(next_call(7) == 8);
  CHECK(next_call(0xffffffffu) == 1);
  std::uint64_t words[4] = {};
  const result_call call{nullptr, words, 9};
  const double sent[2] = {-0.0, 1.0 / 3};
  for (int i = 0; i < 2; ++i) {
    std::uint32_t half[2];
    std::memcpy(half, &sent[i], sizeof(double));
    for (int w = 0; w < 2; ++w) words[2 * i + w] = result_word(half[w], call.number);
  }
  for (const std::uint64_t word : words) CHECK(call_of(word) == 9);
  for (int i = 0; i < 2; ++i) CHECK(received<double>(call, i) == sent[i]);
  CHECK(std::signbit(received<double>(call, 0)));
  CHECK(result_words<char> == 1);
  CHECK(result_words<tandem::index_t> == 2);
}
