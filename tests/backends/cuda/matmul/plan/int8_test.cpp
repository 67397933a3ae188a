// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of kernels for 8-bit integers, and how the mma kernels read operands.

#include <doctest/doctest.h>

#include <variant>

#include <tandem/backends/cuda/matmul/plan.hpp>

using namespace tandem::cuda_impl;

namespace {

using tandem::index_t;

/// A device like an H200, with or without the kernels for it.
constexpr matmul_device hopper(bool has_sm90a = true) {
  return {.multiprocessors = 132,
          .compute_capability = 90,
          .block_shared = 166912,
          .has_sm90a = has_sm90a};
}
constexpr matmul_device ampere{
    .multiprocessors = 108, .compute_capability = 80, .block_shared = 166912, .has_sm90a = true};

/// The fields that wgmma's plan and mma.sync's have in common.
struct outline {
  bool a_packed;
  bool b_packed;
  index_t split_k_slices;
  index_t slice_k;
};

outline plan(const int8_problem& p, const matmul_device& device) {
  if (device.runs_sm90a()) {
    const tensor_plan wgmma = plan_wgmma(p, device);
    return {wgmma.a.packed, wgmma.b.packed, wgmma.split_k_slices, wgmma.slice_k};
  }
  const mma_plan mma = plan_mma(p, device);
  return {mma.pack_a, mma.pack_b, mma.split_k_slices, mma.chunk};
}

/// Whether the problem's plan uses the engine.
template <class Engine>
bool runs(const int8_problem& p, const matmul_device& device) {
  return std::holds_alternative<Engine>(plan_matmul(p, device).engine);
}

/// Returns the problem or its transpose, whichever its plan uses.
int8_problem oriented(const int8_problem& p, const matmul_device& device) {
  return plan_matmul(p, device).transposes ? transposed(p) : p;
}

/// Describes m x n x k with k contiguous in both operands. The pointers are numbers; nothing is
/// read.
int8_problem problem(index_t m, index_t n, index_t k) {
  int8_problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = reinterpret_cast<const std::int8_t*>(std::uintptr_t{4096});
  p.a_row = k;
  p.a_column = 1;
  p.b = reinterpret_cast<const std::int8_t*>(std::uintptr_t{8192});
  p.b_row = 1;
  p.b_column = k;
  p.c = reinterpret_cast<std::int32_t*>(std::uintptr_t{12288});
  p.c_row = n;
  p.c_column = 1;
  return p;
}

}  // namespace

TEST_CASE("int8 plan: Hopper's kernels where the device and the build have them") {
  CHECK(runs<tensor_plan>(problem(4096, 4096, 4096), hopper()));
  CHECK(runs<mma_plan>(problem(4096, 4096, 4096), hopper(false)));
  CHECK(runs<mma_plan>(problem(4096, 4096, 4096), ampere));
}

TEST_CASE(
    "int8 plan: the reference kernels when asked for, and when there is nothing to multiply") {
  int8_problem p = problem(64, 64, 64);
  p.kernel = tandem::matmul_kernel::naive;
  CHECK(runs<reference_plan>(p, hopper()));
  p.kernel = tandem::matmul_kernel::tiled;
  CHECK(runs<reference_plan>(p, hopper()));
  CHECK(runs<reference_plan>(problem(64, 64, 0), hopper()));
  CHECK(runs<reference_plan>(problem(index_t{1} << 31, 1, 1), hopper()));
}

TEST_CASE("int8 plan: operands are copied where the kernel cannot read them") {
  CHECK_FALSE(plan(problem(4096, 4096, 4096), hopper()).a_packed);
  CHECK(plan(problem(4096, 4096, 4095), hopper()).a_packed);
  int8_problem p = problem(4096, 4096, 4096);
  p.b_row = 4096;
  p.b_column = 1;
  CHECK_FALSE(plan(p, hopper()).a_packed);
  CHECK(plan(p, hopper()).b_packed);
  // mma.sync's kernel reads any layout, so it packs only operands that are read often.
  CHECK(plan(p, ampere).b_packed);
  p.m = 64;
  CHECK_FALSE(plan(p, ampere).b_packed);
}

TEST_CASE("int8 plan: of operands along rows and columns Hopper reads one where it lies") {
  int8_problem p = problem(2048, 4096, 1024);
  p.b_row = 4096;
  p.b_column = 1;
  const int8_problem along_columns = oriented(p, hopper());
  CHECK(along_columns.a == p.b);
  CHECK(along_columns.c_row == 1);
  CHECK_FALSE(plan_wgmma(along_columns, hopper()).a.k_major);
  CHECK_FALSE(plan(along_columns, hopper()).b_packed);
  CHECK(oriented(p, ampere).a == p.a);
  p.a_row = 1;
  p.a_column = 2048;
  CHECK(oriented(p, hopper()).a == p.b);  // the larger one
  p.n = 1024;
  const int8_problem along_rows = oriented(p, hopper());
  CHECK(along_rows.a == p.a);
  CHECK_FALSE(plan_wgmma(along_rows, hopper()).a.k_major);
  CHECK(plan(along_rows, hopper()).b_packed);
}

TEST_CASE("int8 plan: few tiles divide k, in whole blocks that cover it") {
  for (const matmul_device& device : {hopper(), ampere}) {
    for (const index_t k : {index_t{65536}, index_t{65537}, index_t{10001}}) {
      const outline divided = plan(problem(64, 64, k), device);
      CHECK(divided.split_k_slices > 1);
      CHECK(divided.slice_k % 64 == 0);
      CHECK(divided.split_k_slices * divided.slice_k >= k);
      CHECK((divided.split_k_slices - 1) * divided.slice_k < k);
    }
    CHECK(plan(problem(8192, 8192, 8192), device).split_k_slices == 1);
    CHECK(plan(problem(64, 64, 100), device).split_k_slices == 1);
  }
}

TEST_CASE("int8 plan: a c of contiguous columns is that of the transposed product") {
  int8_problem p = problem(3, 5, 7);
  p.c_row = 1;
  p.c_column = 3;
  const int8_problem t = oriented(p, hopper());
  CHECK(t.m == 5);
  CHECK(t.n == 3);
  CHECK(t.a == p.b);
  CHECK(t.a_row == p.b_column);
  CHECK(t.c_column == 1);
  CHECK(oriented(problem(3, 5, 7), hopper()).m == 3);
}

TEST_CASE("int8 plan: a c of few rows becomes one of few columns, for which there is a tile") {
  CHECK(oriented(problem(16, 4096, 4096), hopper()).n == 16);
  CHECK(oriented(problem(4096, 16, 4096), hopper()).n == 16);
  CHECK(plan_wgmma(problem(4096, 16, 4096), hopper()).tile == 3);
  CHECK(plan(problem(4096, 16, 4096), hopper()).split_k_slices == 1);
  CHECK(plan_wgmma(problem(4096, 4096, 4096), hopper()).tile == 0);
  CHECK(plan_wgmma(problem(4096, 4096, 4096), hopper()).cluster == 1);
  CHECK(plan_wgmma(problem(8192, 8192, 4096), hopper()).cluster == 2);
}

TEST_CASE("mma plan: 16 bytes at a time where base, rows and matrices are aligned") {
  const auto* const x = reinterpret_cast<const tandem::bf16*>(std::uintptr_t{4096});
  const auto choose = [](const tandem::bf16* data, index_t outer, index_t k) {
    return detail::choose_mma_access(data, 100, outer, 64, k, 1, 0);
  };
  CHECK(choose(x, 64, 1) == mma_access::k_major_vectorized);
  CHECK(choose(x, 1, 104) == mma_access::mn_major_vectorized);
  CHECK(choose(x + 1, 64, 1) == mma_access::k_major);
  CHECK(choose(x, 65, 1) == mma_access::k_major);
  CHECK(choose(x, 1, 101) == mma_access::mn_major);
  CHECK(choose(x, -64, 1) == mma_access::k_major_vectorized);
  CHECK(choose(x, 3, 300) == mma_access::mn_major);
  CHECK(detail::choose_mma_access(x, 100, 64, 64, 1, 2, 7) == mma_access::k_major);
  const auto* const word = reinterpret_cast<const float*>(std::uintptr_t{4096});
  CHECK(detail::choose_mma_access(word, 100, 1, 64, 104, 1, 0) == mma_access::mn_major);
}

TEST_CASE("mma plan: the large tile where it gives every multiprocessor a block") {
  tandem::matmul_problem<float, tandem::bf16> p;
  p.m = 4096;
  p.n = 4096;
  p.k = 64;
  matmul_device device{.multiprocessors = 132, .block_shared = 232448};
  CHECK(plan_mma(p, device).tile == 0);
  device.block_shared = 65536;
  CHECK(plan_mma(p, device).tile == 1);  // it does not fit Turing's 64 KiB
  device.block_shared = 232448;
  p.m = 128;
  CHECK(plan_mma(p, device).tile == 1);
  CHECK(mma_tiles[0].shared_bytes() <= 101376);  // the limit per block on sm_86 and sm_120
  CHECK(mma_tiles[1].shared_bytes() <= 49152);
}
