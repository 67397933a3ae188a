// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_plan.hpp>

#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Elements of a cache line and more, so that the parts of the scratch stay aligned for vectors.
constexpr index_t aligned_elements = 64;

index_t at_most(index_t x, index_t limit) { return x < limit ? x : limit; }

/// Largest side of a block: its area grows with the threads, so that each of them gets as much
/// between two barriers.
index_t largest_side(int threads) {
  index_t side = matmul_policy::smallest_block;
  while (side < matmul_policy::largest_block &&
         side * side < threads * matmul_policy::smallest_block * matmul_policy::smallest_block) {
    side *= 2;
  }
  return side;
}

/// Side of blocks of equal size that cut `size` into as few as `largest` allows, in whole panels.
index_t block_side(index_t size, index_t panel, index_t largest) {
  return round_up(ceil_div(size, ceil_div(size, largest)), panel);
}

/// Whether m * n * k <= limit, without overflow.
bool is_at_most(index_t m, index_t n, index_t k, index_t limit) {
  return m <= limit && n <= limit / m && (k == 0 || m * n <= limit / k);
}

}  // namespace

template <class T>
matmul_plan plan_matmul(const matmul_problem<T>& p, const matmul_kernels<T>& kernels, int threads) {
  const index_t terms = at_most(p.k, matmul_chunk);
  const index_t chunks = ceil_div(p.k, matmul_chunk);
  const index_t row_panels = ceil_div<index_t>(p.m, kernels.rows);
  const index_t column_panels = ceil_div<index_t>(p.n, kernels.columns);

  matmul_plan plan;
  if (threads == 1 && chunks <= 1 && is_at_most(p.m, p.n, p.k, matmul_policy::direct_work)) {
    plan.method = matmul_method::direct;
    plan.b_elements = round_up(terms * kernels.columns, aligned_elements);
    return plan;
  }
  const index_t side = largest_side(threads);
  plan.block_rows = block_side(p.m, kernels.rows, side);
  plan.block_columns = block_side(p.n, kernels.columns, side);
  const bool one_block = plan.block_rows >= p.m && plan.block_columns >= p.n;
  if (chunks > 1 && threads > 1 && one_block && row_panels * column_panels < 4 * threads) {
    plan.method = matmul_method::split;
    plan.chunks = at_most(chunks, ceil_div(side, tandem::max(plan.block_rows, plan.block_columns)));
    plan.totals_elements = round_up((plan.chunks + 1) * p.m * p.n, aligned_elements);
  } else if (chunks > 1 && p.beta != 0) {
    plan.totals_elements = round_up(plan.block_rows * plan.block_columns, aligned_elements);
  }
  plan.a_elements = round_up(plan.chunks * plan.block_rows * terms, aligned_elements);
  plan.b_elements = round_up(plan.chunks * plan.block_columns * terms, aligned_elements);
  return plan;
}

template matmul_plan plan_matmul(const matmul_problem<float>&, const matmul_kernels<float>&, int);
template matmul_plan plan_matmul(const matmul_problem<double>&, const matmul_kernels<double>&, int);

}  // namespace tandem::openmp_impl
