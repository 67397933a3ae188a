// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/bf16x/decompose.cuh>

/// The epilogue of a tile's elements.
///
/// If an operand holds an infinity, products of its components with 0 are NaN even if the product
/// of floats is not. A sum of products may also overflow when the sum of floats would not. So a
/// total that is not finite is recomputed as a chain of fused multiply-adds in floats.
namespace tandem::cuda_impl {

/// Returns the total of an element as matmul_precision::full computes it.
__device__ __noinline__ float full_total(const matmul_arguments<float>& p, int batch, index_t row,
                                         index_t column) {
  const float* a = p.a.data + batch * p.a.batch_stride + row * p.a.outer_stride;
  const float* b = p.b.data + batch * p.b.batch_stride + column * p.b.outer_stride;
  float total = -0.0f;
  for (index_t first = 0; first < p.k; first += matmul_chunk) {
    const index_t end = p.k - first < matmul_chunk ? p.k : first + matmul_chunk;
    float chain = 0;
#pragma unroll 4  // keeps loads in flight; the arithmetic stays in order
    for (index_t k = first; k < end; ++k)
      chain = tandem::fma(a[k * p.a.k_stride], b[k * p.b.k_stride], chain);
    total += chain;
  }
  return total;
}

/// Writes those of two adjacent elements of a row that are inside c and finite. Returns one bit for
/// each that is inside but not finite.
__device__ __forceinline__ unsigned store_pair(const matmul_arguments<float>& p, float* target,
                                               index_t row, index_t column, float x, float y) {
  const bool both = column + 1 < p.n;
  if (both && p.vectorized_c && is_finite(x) && is_finite(y)) {
    float2 old{};
    if (p.finish.reads_c()) old = *reinterpret_cast<const float2*>(target);
    *reinterpret_cast<float2*>(target) = {p.finish(x, old.x, row, column),
                                          p.finish(y, old.y, row, column + 1)};
    return 0;
  }
  unsigned left = 0;
  if (column < p.n) {
    if (is_finite(x)) store_element(p.finish, x, row, column, target);
    left |= !is_finite(x);
  }
  if (both) {
    if (is_finite(y)) store_element(p.finish, y, row, column + 1, target + p.c_column);
    left |= is_finite(y) ? 0 : 2;
  }
  return left;
}

/// Row and column of pair `pair`, of a thread's 32 pairs in 64 rows. As wgmma distributes its sums,
/// a thread has rows r and r + 8, with 16 pairs of columns each.
__device__ __forceinline__ int bf16x_pair_row(int pair) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  return thread / 32 * 16 + thread % 32 / 4 + pair / 16 * 8;
}
__device__ __forceinline__ int bf16x_pair_column(int pair) {
  return 2 * (static_cast<int>(threadIdx.x) % 4) + pair % 16 * 8;
}

/// Recomputes elements of a thread in full precision: bits 2 i and 2 i + 1 of `elements` stand for
/// pair i.
__device__ __noinline__ void store_full(const matmul_arguments<float>& p, bf16x_position at,
                                        unsigned long long elements) {
  for (; elements != 0; elements &= elements - 1) {
    const int element = __ffsll(static_cast<long long>(elements)) - 1;
    const index_t row = at.row + bf16x_pair_row(element / 2);
    const index_t column = at.column + bf16x_pair_column(element / 2) + element % 2;
    store_element(without_epilogue(p.finish), full_total(p, at.batch, row, column), row, column,
                  p.c + at.batch * p.c_batch + row * p.c_row + column * p.c_column);
  }
}

/// Applies the epilogue to a thread's elements, which it has already stored.
__device__ __noinline__ void finish_bf16x_tile(const matmul_arguments<float>& p,
                                               bf16x_position at) {
#pragma unroll 1
  for (int element = 0; element < 64; ++element) {
    const index_t row = at.row + bf16x_pair_row(element / 2);
    const index_t column = at.column + bf16x_pair_column(element / 2) + element % 2;
    if (row < p.m && column < p.n)
      apply_epilogue(p.finish, row, column,
                     p.c + at.batch * p.c_batch + row * p.c_row + column * p.c_column);
  }
}

/// Writes a warpgroup's 64 rows, starting at row at.row.
__device__ __forceinline__ void store_bf16x_tile(const matmul_arguments<float>& given,
                                                 const bf16x_position& at,
                                                 const float (&totals)[bf16x_sums]) {
  matmul_arguments<float> p = given;
  p.finish = without_epilogue(given.finish);
  float* const matrix = p.c + at.batch * p.c_batch;
  unsigned long long left = 0;
#pragma unroll
  for (int pair = 0; pair < 32; ++pair) {
    const index_t row = at.row + bf16x_pair_row(pair);
    const index_t column = at.column + bf16x_pair_column(pair);
    if (row >= p.m) continue;
    const int first = 4 * (pair % 16) + 2 * (pair / 16);
    const unsigned bits = store_pair(p, matrix + row * p.c_row + column * p.c_column, row, column,
                                     totals[first], totals[first + 1]);
    left |= static_cast<unsigned long long>(bits) << (2 * pair);
  }
  if (left != 0) store_full(given, at, left);
  if (given.finish.has_epilogue()) finish_bf16x_tile(given, at);
}

}  // namespace tandem::cuda_impl
