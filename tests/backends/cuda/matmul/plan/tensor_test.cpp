// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of tensor core kernels for GPUs that this machine may lack.

#include "support/backends.hpp"

#include <cstdint>
#include <string>
#include <variant>

#include <tandem/backends/cuda/matmul/plan.hpp>

using namespace tandem::cuda_impl;
using tandem::bf16;
using tandem::half;
using tandem::index_t;
using tandem::matmul_problem;

namespace {

constexpr matmul_device turing{
    .multiprocessors = 68, .compute_capability = 75, .block_shared = 65536};
constexpr matmul_device a100{
    .multiprocessors = 108, .compute_capability = 80, .block_shared = 166912};
constexpr matmul_device h200{
    .multiprocessors = 132, .compute_capability = 90, .block_shared = 232448, .has_sm90a = true};

// Plans look at addresses, never at the memory there.
template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// c = a b of row-major matrices, aligned by 256 bytes.
template <class T, class In>
matmul_problem<T, In> row_major(index_t m, index_t n, index_t k) {
  matmul_problem<T, In> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = at<In>(0x1000000);
  p.a_row = k;
  p.a_column = 1;
  p.b = at<In>(0x2000000);
  p.b_row = n;
  p.b_column = 1;
  p.c = at<T>(0x3000000);
  p.c_row = n;
  p.c_column = 1;
  return p;
}

/// Returns the problem or its transpose, whichever its plan uses.
template <class T, class In>
matmul_problem<T, In> tensor_oriented(const matmul_problem<T, In>& p) {
  return plan_tensor(p, h200).transposes ? transposed(p) : p;
}

/// Whether the problem's plan uses the engine.
template <class Engine, class T, class In>
bool runs(const matmul_problem<T, In>& p, const matmul_device& device) {
  return std::holds_alternative<Engine>(plan_tensor(p, device).engine);
}

template <class T, class In>
std::string reason_of(const matmul_problem<T, In>& p, const matmul_device& device) {
  return std::visit([](const auto& engine) { return engine.reason; },
                    plan_tensor(p, device).engine);
}

template <class T, class In>
const tensor_tile& tile_of(const matmul_problem<T, In>& p) {
  return tensor_tiles[plan_wgmma(tensor_oriented(p), h200).tile];
}

}  // namespace

TEST_CASE("cuda tensor matmul: the chunks of k are a function of k and split_k alone") {
  CHECK(tensor_chunk(1, false) == 1);
  CHECK(tensor_chunk(16384, false) == 16384);
  CHECK(tensor_chunk(16385, false) == 1024);
  CHECK(tensor_chunks(0, false) == 1);
  CHECK(tensor_chunks(16384, false) == 1);
  CHECK(tensor_chunks(16385, false) == 17);
  CHECK(tensor_chunks(65536, false) == 64);
  CHECK(tensor_chunk(1000, true) == 1000);
  CHECK(tensor_chunk(1024, true) == 1024);
  CHECK(tensor_chunk(1025, true) == 1024);
  CHECK(tensor_chunks(0, true) == 1);
  CHECK(tensor_chunks(1024, true) == 1);
  CHECK(tensor_chunks(1025, true) == 2);
  CHECK(tensor_chunks(16384, true) == 16);
  CHECK(tensor_chunks(65536, true) == tensor_chunks(65536, false));
  for (const index_t m : {1, 64, 4096}) {
    for (const index_t n : {1, 64, 4096}) {
      auto p = row_major<bf16, bf16>(m, n, 20000);
      CHECK(plan_wgmma(p, h200).chunk == 1024);
      CHECK(plan_mma(p, a100).chunk == 1024);
      p.k = 5000;
      CHECK(plan_wgmma(p, h200).chunk == 5000);
      CHECK(plan_mma(p, a100).chunk == 5000);
      p.split_k = true;
      CHECK(plan_wgmma(p, h200).chunk == 1024);
      CHECK(plan_mma(p, a100).chunk == 1024);
    }
  }
}

TEST_CASE("cuda tensor matmul: split_k gives chunks to separate blocks where c has few tiles") {
  const auto split = [](auto p) {
    p.split_k = true;
    return p;
  };
  CHECK(plan_wgmma(split(row_major<bf16, bf16>(64, 64, 10000)), h200).split_k_slices == 10);
  CHECK(plan_wgmma(split(row_major<float, float>(64, 64, 10000)), h200).split_k_slices == 10);
  CHECK(plan_mma(split(row_major<bf16, bf16>(64, 64, 10000)), a100).split_k_slices == 10);
  CHECK(plan_mma(row_major<bf16, bf16>(64, 64, 65536), a100).split_k_slices == 64);
  CHECK(plan_mma(row_major<bf16, bf16>(64, 64, 10000), a100).split_k_slices == 1);
  const tensor_plan wide = plan_wgmma(split(row_major<bf16, bf16>(8192, 8192, 8192)), h200);
  CHECK(wide.split_k_slices == 1);
  CHECK(tensor_tiles[wide.tile].held() <= 128);  // room for two totals
  CHECK(plan_mma(split(row_major<bf16, bf16>(8192, 8192, 8192)), a100).split_k_slices == 1);
}

TEST_CASE("cuda tensor matmul: few rows or columns and a large matrix read the matrix once") {
  const auto plan_of = [](const auto& p) {
    const auto plan = plan_tensor(p, h200);
    REQUIRE(std::holds_alternative<few_rows_plan>(plan.engine));
    return std::get<few_rows_plan>(plan.engine);
  };
  CHECK(plan_of(row_major<bf16, bf16>(1, 4096, 4096)).tile == 0);
  CHECK(plan_of(row_major<bf16, bf16>(1, 8192, 8192)).tile == 1);
  CHECK(plan_of(row_major<bf16, bf16>(7, 11008, 4096)).tile == 1);
  CHECK(plan_of(row_major<bf16, bf16>(7, 11008, 4096)).chunk == 4096);
  CHECK(plan_of(row_major<float, float>(1, 8192, 20000)).chunk == 1024);
  CHECK(!plan_of(row_major<float, half>(1, 8192, 8192)).b_k_major);
  auto columns = row_major<bf16, bf16>(8192, 3, 8192);
  CHECK(runs<tensor_plan>(columns, h200));  // b's columns are not contiguous
  columns.b_row = 1;
  columns.b_column = 8192;
  CHECK(plan_of(columns).b_k_major);
  CHECK(plan_tensor(columns, h200).transposes);
  CHECK(plan_of(row_major<float, float>(9, 4096, 4096)).tile == 2);
  CHECK(plan_of(row_major<bf16, bf16>(16, 8192, 8192)).tile == 3);
  CHECK(runs<tensor_plan>(row_major<bf16, bf16>(17, 8192, 8192), h200));
  CHECK(runs<tensor_plan>(row_major<bf16, bf16>(1, 1024, 1024), h200));
  CHECK(runs<tensor_plan>(row_major<bf16, bf16>(1, 8191, 8192), h200));  // not aligned
  matmul_device small = a100;
  CHECK(runs<few_rows_plan>(row_major<bf16, bf16>(1, 8192, 8192), small));
  small.block_shared = 101376;  // of compute capability 8.6: too little for the stages
  CHECK(runs<mma_plan>(row_major<bf16, bf16>(1, 8192, 8192), small));
}

TEST_CASE("cuda tensor matmul: chunks of a small c have blocks for few rows if all fit at once") {
  auto p = row_major<bf16, bf16>(64, 64, 10000);
  CHECK(runs<tensor_plan>(p, h200));
  p.split_k = true;
  const auto plan = plan_tensor(p, h200);
  REQUIRE(std::holds_alternative<few_rows_plan>(plan.engine));
  CHECK(std::get<few_rows_plan>(plan.engine).split_k_slices == 10);
  p.m = 128;
  CHECK(runs<tensor_plan>(p, h200));
}

TEST_CASE("cuda tensor matmul: mma.sync copies runs aligned to 8 or 4 bytes in pieces") {
  const auto pieces = [](index_t m, index_t n, index_t k, std::uintptr_t shift) {
    auto p = row_major<bf16, bf16>(m, n, k);
    p.a = at<bf16>(0x1000000 + shift);
    return plan_mma(p, a100);
  };
  CHECK(pieces(300, 300, 300, 0).a == mma_access::k_major_vectorized);
  CHECK(pieces(300, 300, 300, 0).a_piece == 8);
  CHECK(pieces(300, 300, 300, 0).b == mma_access::mn_major_vectorized);
  CHECK(pieces(300, 300, 300, 0).b_piece == 8);
  CHECK(pieces(300, 302, 300, 0).b_piece == 4);
  CHECK(pieces(300, 304, 304, 0).a_piece == 16);
  CHECK(pieces(300, 304, 304, 4).a_piece == 4);
  CHECK(pieces(300, 304, 304, 2).a == mma_access::k_major);
  CHECK(pieces(301, 301, 301, 0).a == mma_access::k_major);
  CHECK(pieces(301, 301, 301, 0).b == mma_access::mn_major);
  CHECK(plan_mma(row_major<float, float>(301, 301, 301), a100).a == mma_access::k_major);
}

TEST_CASE("cuda tensor matmul: wgmma on Hopper, mma.sync elsewhere, float's way where neither is") {
  const auto bf = row_major<bf16, bf16>(512, 512, 512);
  const auto hf = row_major<half, half>(512, 512, 512);
  CHECK(runs<tensor_plan>(bf, h200));
  CHECK(runs<mma_plan>(bf, a100));
  CHECK(runs<reference_plan>(bf, turing));
  CHECK(runs<mma_plan>(hf, turing));
  matmul_device without = h200;
  without.has_sm90a = false;
  CHECK(runs<mma_plan>(bf, without));
  CHECK(reason_of(bf, without) == "the device or this build lacks wgmma");
}

TEST_CASE("cuda tensor matmul: a reference kernel where one is asked for or k is 0") {
  auto p = row_major<float, half>(512, 512, 512);
  p.kernel = tandem::matmul_kernel::tiled;
  CHECK(runs<reference_plan>(p, h200));
  CHECK(reason_of(p, h200) == "asked for");
  CHECK(runs<reference_plan>(row_major<float, half>(3, 3, 0), h200));
}

TEST_CASE("cuda tensor matmul: large products take the largest tile, small ones fill the machine") {
  CHECK(std::string(tile_of(row_major<bf16, bf16>(4096, 4096, 4096)).name) == "wgmma 128x256");
  CHECK(std::string(tile_of(row_major<bf16, bf16>(2048, 2048, 2048)).name) == "wgmma 128x256");
  CHECK(std::string(tile_of(row_major<bf16, bf16>(1024, 1024, 1024)).name) == "wgmma 128x64");
  CHECK(tile_of(row_major<bf16, bf16>(256, 512, 256)).n <= 64);
  CHECK(std::string(tile_of(row_major<bf16, bf16>(300, 300, 300)).name) == "wgmma 128x64");
  CHECK(std::string(tile_of(row_major<bf16, bf16>(500, 500, 500)).name) == "wgmma 128x64");
}

TEST_CASE("cuda tensor matmul: few rows or columns take the narrow tile if it can read b") {
  const auto narrow = [](const auto& p) { return std::string(tile_of(p).name) == "wgmma 64x32"; };
  CHECK(narrow(row_major<bf16, bf16>(32, 4096, 4096)));
  CHECK(narrow(row_major<bf16, bf16>(17, 11008, 4096)));
  CHECK(narrow(row_major<float, float>(17, 8192, 8192)));
  CHECK(!narrow(row_major<bf16, bf16>(33, 4096, 4096)));
  auto split = row_major<bf16, bf16>(32, 4096, 4096);
  split.split_k = true;
  CHECK(narrow(split));
  CHECK(!narrow(row_major<bf16, bf16>(4096, 16, 4096)));  // b is contiguous along n
}

TEST_CASE(
    "cuda tensor matmul: 16-bit results wider than the narrow tile take one that TMA stores") {
  auto p = row_major<bf16, bf16>(256, 256, 512);
  p.b_row = 1;
  p.b_column = p.k;
  CHECK(tensor_tiles[plan_wgmma(p, h200).tile].n == 64);
  auto floats = row_major<float, bf16>(256, 256, 512);
  floats.b_row = 1;
  floats.b_column = floats.k;
  CHECK(tensor_tiles[plan_wgmma(floats, h200).tile].n == 32);
}

TEST_CASE("cuda tensor matmul: small products of misaligned operands are not copied for wgmma") {
  const auto name_of = [](const auto& p) {
    const auto plan = plan_tensor(p, h200);
    return std::visit(detail::kernel_name<bf16>{}, plan.engine);
  };
  const std::string small = "matmul mma.sync 32x32";
  CHECK(name_of(row_major<bf16, bf16>(300, 300, 300)) == small);
  CHECK(name_of(row_major<float, bf16>(300, 300, 300)) == small);
  auto columns = transposed(row_major<bf16, bf16>(300, 300, 300));
  CHECK(name_of(columns) == small);
  CHECK(plan_tensor(columns, h200).transposes);
  CHECK(name_of(row_major<bf16, bf16>(304, 304, 304)) != small);  // aligned
  CHECK(name_of(row_major<bf16, bf16>(301, 301, 301)) != small);  // by elements
  CHECK(name_of(row_major<bf16, bf16>(500, 500, 300)) != small);  // several rounds
  CHECK(name_of(row_major<bf16, bf16>(300, 300, 700)) != small);  // long
}

TEST_CASE("cuda tensor matmul: blocks share an operand whose rows do not begin with lines") {
  const auto plan_of = [](index_t size) {
    return plan_wgmma(row_major<bf16, bf16>(size, size, size), h200);
  };
  CHECK(plan_of(1024).cluster == 1);
  CHECK(plan_of(1000).cluster == 2);
  CHECK(plan_of(1000).shares_a);
  CHECK(plan_of(8192).cluster == 1);
  CHECK(!plan_of(8192).shares_a);
  CHECK(plan_wgmma(row_major<bf16, bf16>(1000, 64, 1000), h200).cluster == 1);
}

TEST_CASE("cuda tensor matmul: warpgroups take turns where floats are stored after few products") {
  auto p = row_major<float, float>(5120, 5120, 256);
  p.b_row = 1;
  p.b_column = p.k;
  CHECK(std::string(tile_of(p).name) == "wgmma 128x128 ping-pong");
  p.k = 20000;  // in chunks, and their totals need registers
  p.a_row = p.b_column = p.k;
  const tensor_plan plan = plan_wgmma(p, h200);
  CHECK((plan.split_k_slices > 1 || tensor_tiles[plan.tile].held() <= 128));
}

TEST_CASE("cuda tensor matmul: warpgroups of 16-bit operands take turns where rounds are many") {
  const char* const turns = "wgmma 128x192 ping-pong";
  CHECK(std::string(tile_of(row_major<bf16, bf16>(5120, 5120, 256)).name) == turns);
  CHECK(std::string(tile_of(row_major<float, half>(5120, 5120, 256)).name) == turns);
  CHECK(std::string(tile_of(row_major<bf16, bf16>(8192, 8192, 8192)).name) == turns);
  CHECK(!tile_of(row_major<bf16, bf16>(2048, 2048, 2048)).pingpong);
  CHECK(!tile_of(row_major<bf16, bf16>(4096, 4096, 4096)).pingpong);
  const auto floats = row_major<float, float>(8192, 8192, 8192);
  CHECK(std::string(tile_of(floats).name) != turns);
}

TEST_CASE("cuda tensor matmul: rows of floats are written whole where L2 holds the operands") {
  const auto group_of = [](const auto& p) { return plan_wgmma(tensor_oriented(p), h200).group; };
  CHECK(group_of(row_major<float, bf16>(5120, 5120, 256)) == tensor_group_of_floats);
  CHECK(group_of(row_major<float, float>(5120, 5120, 256)) == tensor_group_of_floats);
  CHECK(group_of(row_major<bf16, bf16>(5120, 5120, 256)) == tensor_group);
  CHECK(group_of(row_major<float, bf16>(4096, 4096, 4096)) == tensor_group);
}

TEST_CASE("cuda tensor matmul: a long k is divided where c has few tiles") {
  const tensor_plan narrow = plan_wgmma(row_major<bf16, bf16>(64, 64, 65536), h200);
  CHECK(narrow.split_k_slices == 64);
  const tensor_plan wide = plan_wgmma(row_major<bf16, bf16>(8192, 8192, 65536), h200);
  CHECK(wide.split_k_slices == 1);
  CHECK(tensor_tiles[wide.tile].n <= 128);  // room for two totals
  CHECK(plan_wgmma(row_major<bf16, bf16>(64, 64, 16384), h200).split_k_slices == 1);
}

TEST_CASE("cuda tensor matmul: 16-bit operands are read in both orders where they lie") {
  auto p = row_major<bf16, bf16>(512, 512, 512);
  CHECK(plan_wgmma(p, h200).a.k_major);
  CHECK(!plan_wgmma(p, h200).b.k_major);
  CHECK(!plan_wgmma(p, h200).b.packed);
  p.b_row = 1;
  p.b_column = p.k;
  CHECK(plan_wgmma(p, h200).b.k_major);
}

TEST_CASE("cuda tensor matmul: operands that tensor copies cannot read are copied first") {
  const auto packed = [](const matmul_problem<bf16, bf16>& p) {
    return plan_wgmma(p, h200).a.packed;
  };
  auto p = row_major<bf16, bf16>(512, 512, 512);
  CHECK(!packed(p));
  p.a_row = 513;  // rows not aligned to 16 bytes
  CHECK(packed(p));
  p.a_row = -512;
  CHECK(packed(p));
  p.a_row = 0;
  CHECK(packed(p));
  p.a_row = 512;
  p.a = at<bf16>(0x1000002);
  CHECK(packed(p));
  p.a = at<bf16>(0x1000000);
  p.a_column = 2;
  CHECK(packed(p));
  p.m = 1;  // with one row the row stride does not matter
  p.a_column = 1;
  p.a_row = 513;
  CHECK(!packed(p));
}

TEST_CASE("cuda tensor matmul: tf32 reads b along k, and a row-major b as the transpose's a") {
  const auto p = row_major<float, float>(512, 768, 1024);
  const auto q = tensor_oriented(p);
  CHECK(q.m == p.n);
  const tensor_plan plan = plan_wgmma(q, h200);
  CHECK(!plan.a.k_major);
  CHECK(plan.b.k_major);
  CHECK(!plan.a.packed);
  CHECK(!plan.b.packed);
  auto biased = p;  // written element by element: the kernels need contiguous rows of c
  biased.beta = 1;
  CHECK(tensor_oriented(biased).m == p.m);
  CHECK(plan_wgmma(tensor_oriented(biased), h200).b.transposing);
}

TEST_CASE("cuda tensor matmul: tensor copies write c in whole pieces of 16 bytes alone") {
  CHECK(detail::tma_can_write(row_major<bf16, bf16>(64, 64, 64)));
  auto p = row_major<bf16, bf16>(64, 63, 64);
  p.c_row = 64;
  CHECK(!detail::tma_can_write(p));
  p.n = 56;
  CHECK(detail::tma_can_write(p));
  p.activation = tandem::matmul_activation::relu;
  CHECK(!detail::tma_can_write(p));
}

TEST_CASE("matmul plan: pieces of large products of 16-bit floats are added to totals") {
  const auto plan_of = [](index_t m, index_t n, const matmul_device& device) {
    return plan_tensor_continuation(row_major<float, bf16>(m, n, 4096), device);
  };
  const auto plan = plan_of(4096, 4096, h200);
  const auto* const tensor = std::get_if<tensor_plan>(&plan.engine);
  REQUIRE(tensor != nullptr);
  CHECK(tensor->tile == continuing_tensor_tile);
  CHECK(tensor->continues);
  CHECK(tensor->chunk == tandem::matmul_chunk);
  CHECK(tensor->split_k_slices == 1);
  CHECK(std::holds_alternative<empty_plan>(plan_of(1024, 1024, h200).engine));
  CHECK(std::holds_alternative<empty_plan>(plan_of(4096, 4096, a100).engine));
}
