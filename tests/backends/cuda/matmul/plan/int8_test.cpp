// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel multiplies 8-bit integers, and how the mma kernels read operands.

#include <doctest/doctest.h>

#include <tandem/backends/cuda/matmul/plan/int8.hpp>

using namespace tandem::cuda_impl;

namespace {

using tandem::index_t;

/// A device like an H200, with or without the kernels for it.
constexpr tensor_device hopper(bool has_wgmma = true) {
  return {.multiprocessors = 132, .compute_capability = 90, .has_wgmma = has_wgmma};
}
constexpr tensor_device ampere{.multiprocessors = 108, .compute_capability = 80, .has_wgmma = true};

/// The plan where a block may have as much shared memory as on an A100.
int8_plan plan(const int8_problem& p, const tensor_device& device) {
  return plan_int8(p, device, 166912);
}

/// m x n x k with k contiguous in both operands. Nothing is read: the pointers are numbers.
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
  CHECK(plan(problem(4096, 4096, 4096), hopper()).kernel == tensor_kernel::wgmma);
  CHECK(plan(problem(4096, 4096, 4096), hopper(false)).kernel == tensor_kernel::mma);
  CHECK(plan(problem(4096, 4096, 4096), ampere).kernel == tensor_kernel::mma);
}

TEST_CASE(
    "int8 plan: the reference kernels when asked for, and when there is nothing to multiply") {
  int8_problem p = problem(64, 64, 64);
  p.kernel = tandem::matmul_kernel::naive;
  CHECK(plan(p, hopper()).kernel == tensor_kernel::reference);
  p.kernel = tandem::matmul_kernel::tiled;
  CHECK(plan(p, hopper()).kernel == tensor_kernel::reference);
  CHECK(plan(problem(64, 64, 0), hopper()).kernel == tensor_kernel::reference);
  CHECK(plan(problem(index_t{1} << 31, 1, 1), hopper()).kernel == tensor_kernel::reference);
}

TEST_CASE("int8 plan: operands are copied where the kernel cannot read them") {
  CHECK_FALSE(plan(problem(4096, 4096, 4096), hopper()).a.packed);
  CHECK(plan(problem(4096, 4096, 4095), hopper()).a.packed);
  int8_problem p = problem(4096, 4096, 4096);
  p.b_row = 4096;
  p.b_column = 1;
  CHECK_FALSE(plan(p, hopper()).a.packed);
  CHECK(plan(p, hopper()).b.packed);
  // mma.sync's kernel reads anything, so it copies only what is read often.
  CHECK(plan(p, ampere).b.packed);
  p.m = 64;
  CHECK_FALSE(plan(p, ampere).b.packed);
}

TEST_CASE("int8 plan: of operands along rows and columns Hopper reads one where it lies") {
  int8_problem p = problem(2048, 4096, 1024);
  p.b_row = 4096;
  p.b_column = 1;
  const int8_problem along_columns = oriented_int8(p, hopper());
  CHECK(along_columns.a == p.b);
  CHECK(along_columns.c_row == 1);
  CHECK_FALSE(plan(along_columns, hopper()).a.k_major);
  CHECK_FALSE(plan(along_columns, hopper()).b.packed);
  CHECK(oriented_int8(p, ampere).a == p.a);
  p.a_row = 1;
  p.a_column = 2048;
  CHECK(oriented_int8(p, hopper()).a == p.b);  // the larger one
  p.n = 1024;
  const int8_problem along_rows = oriented_int8(p, hopper());
  CHECK(along_rows.a == p.a);
  CHECK_FALSE(plan(along_rows, hopper()).a.k_major);
  CHECK(plan(along_rows, hopper()).b.packed);
}

TEST_CASE("int8 plan: few tiles divide k, in whole blocks that cover it") {
  for (const tensor_device& device : {hopper(), ampere}) {
    for (const index_t k : {index_t{65536}, index_t{65537}, index_t{10001}}) {
      const int8_plan divided = plan(problem(64, 64, k), device);
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
  const int8_problem t = oriented_int8(p, hopper());
  CHECK(t.m == 5);
  CHECK(t.n == 3);
  CHECK(t.a == p.b);
  CHECK(t.a_row == p.b_column);
  CHECK(t.c_column == 1);
  CHECK(oriented_int8(problem(3, 5, 7), hopper()).m == 3);
}

TEST_CASE("int8 plan: a c of few rows becomes one of few columns, for which there is a tile") {
  CHECK(oriented_int8(problem(16, 4096, 4096), hopper()).n == 16);
  CHECK(oriented_int8(problem(4096, 16, 4096), hopper()).n == 16);
  CHECK(plan(problem(4096, 16, 4096), hopper()).tile == 3);
  CHECK(plan(problem(4096, 16, 4096), hopper()).split_k_slices == 1);
  CHECK(plan(problem(4096, 4096, 4096), hopper()).tile == 0);
  CHECK(plan(problem(4096, 4096, 4096), hopper()).cluster == 1);
  CHECK(plan(problem(8192, 8192, 4096), hopper()).cluster == 2);
}

TEST_CASE("mma plan: 16 bytes at a time where base, rows and matrices are aligned") {
  const auto* const x = reinterpret_cast<const tandem::bf16*>(std::uintptr_t{4096});
  const auto choose = [](const tandem::bf16* data, index_t outer, index_t k) {
    return choose_mma_access(data, 100, outer, 64, k, 1, 0);
  };
  CHECK(choose(x, 64, 1) == mma_access::k_major_vectorized);
  CHECK(choose(x, 1, 104) == mma_access::mn_major_vectorized);
  CHECK(choose(x + 1, 64, 1) == mma_access::k_major);
  CHECK(choose(x, 65, 1) == mma_access::k_major);
  CHECK(choose(x, 1, 101) == mma_access::mn_major);
  CHECK(choose(x, -64, 1) == mma_access::k_major_vectorized);
  CHECK(choose(x, 3, 300) == mma_access::mn_major);
  CHECK(choose_mma_access(x, 100, 64, 64, 1, 2, 7) == mma_access::k_major);
  const auto* const word = reinterpret_cast<const float*>(std::uintptr_t{4096});
  CHECK(choose_mma_access(word, 100, 1, 64, 104, 1, 0) == mma_access::mn_major);
}

TEST_CASE("mma plan: the large tile where it gives every multiprocessor a block") {
  tandem::matmul_problem<float, tandem::bf16> p;
  p.m = 4096;
  p.n = 4096;
  p.k = 64;
  CHECK(plan_mma(p, 64, 1, 132, 232448).tile == 0);
  CHECK(plan_mma(p, 64, 1, 132, 65536).tile == 1);  // Turing's 64 KiB do not hold it
  p.m = 128;
  CHECK(plan_mma(p, 64, 1, 132, 232448).tile == 1);
  CHECK(mma_tiles[0].shared_bytes() <= 101376);  // a block's most on sm_86 and sm_120
  CHECK(mma_tiles[1].shared_bytes() <= 49152);
}
