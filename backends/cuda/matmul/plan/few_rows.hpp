// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>
#include <tandem/backends/cuda/matmul/plan/engines.hpp>

#include <tandem/core/math.hpp>

#include <cstdint>
#include <optional>

/// Decides which products of few rows few_rows/ computes. Plain C++, tested on the host. No choice
/// made here changes a bit of the result.
namespace tandem::cuda_impl::detail {

/// Whether TMA can read a matrix of `outer` rows of `inner` contiguous elements, `batch` times. All
/// strides except the innermost must be positive multiples of 16 bytes.
template <class In>
bool tma_can_read(const In* data, index_t inner_stride, index_t inner, index_t outer_stride,
                  index_t outer, index_t batch_stride, index_t batch) {
  constexpr index_t width = vector_width<In>;
  constexpr index_t most = (index_t{1} << 40) / static_cast<index_t>(sizeof(In));
  const auto fits = [](index_t stride, index_t extent) {
    return extent == 1 || (stride > 0 && stride % width == 0 && stride < most);
  };
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (inner_stride == 1 || inner == 1) &&
         fits(outer_stride, outer) && (batch_stride == 0 || fits(batch_stride, batch));
}

/// Whether both operands can be copied 16 bytes at a time: a along k, b along k or along n.
template <class T, class In>
bool copies_16_bytes(const matmul_problem<T, In>& p, bool along_k) {
  if (!tma_can_read(p.a, p.a_column, p.k, p.a_row, p.m, p.a_batch, p.batch)) return false;
  if (along_k) return tma_can_read(p.b, p.b_row, p.k, p.b_column, p.n, p.b_batch, p.batch);
  return tma_can_read(p.b, p.b_column, p.n, p.b_row, p.k, p.b_batch, p.batch);
}

/// Whether p has at most `rows` rows, and a b of at least `bytes` bytes that is contiguous along k
/// or along n, so that the product takes as long as reading b.
template <class T, class In>
bool waits_for_b(const matmul_problem<T, In>& p, index_t rows, double bytes, bool along_k) {
  const double size = static_cast<double>(p.k) * static_cast<double>(p.n) * sizeof(In);
  return reason_for_reference(p) == nullptr && p.m <= rows && p.n >= few_rows_columns &&
         size >= bytes && (along_k || p.b_column == 1);
}

/// Plans a product of few rows and many columns, or of few columns and many rows, if few_rows/
/// computes it faster than tiles do: enough columns and chunks for threads on all of the device.
template <class T>
std::optional<matmul_plan<T>> plan_few_rows(const matmul_problem<T>& problem,
                                            const matmul_device& device) {
  const bool flips = problem.m > few_rows<T>;
  const matmul_problem<T> p = flips ? transposed(problem) : problem;
  const bool along_k = p.b_row == 1 && p.k > 1;
  if (device.block_shared < few_rows_fma_shared ||
      !waits_for_b(p, few_rows<T>, few_rows_bytes, along_k))
    return std::nullopt;
  few_rows_plan plan{
      .b_k_major = along_k, .vectorized = copies_16_bytes(p, along_k), .reason = "reads b once"};
  const index_t groups =
      ceil_div<index_t>(p.n, few_rows_fma_tile.warps * few_rows_fma_columns) * p.batch;
  const index_t chunks = ceil_div(p.k, matmul_chunk);
  if (groups <= few_rows_groups && chunks <= most_slices) plan.split_k_slices = chunks;
  const index_t threads = p.n * p.batch * plan.split_k_slices;
  if (threads < few_rows_threads * device.multiprocessors) return std::nullopt;
  return matmul_plan<T>{flips, plan};
}

/// Chooses the tile for p on tensor cores and, if the chunks of a small c fit on the device
/// together, a block for each of them. Nothing if wgmma's tiles are faster.
template <class T, class In>
std::optional<few_rows_plan> choose_few_rows(const matmul_problem<T, In>& p,
                                             const matmul_device& device, index_t chunk,
                                             index_t chunks) {
  const bool along_k = p.b_row == 1 && p.k > 1;
  if (!copies_16_bytes(p, along_k)) return std::nullopt;
  const auto blocks = [&p](int index) {
    const few_rows_tile& tile = few_rows_tensor_tiles[index];
    return ceil_div<index_t>(p.m, tile.rows) *
           ceil_div<index_t>(p.n, tile.warps * few_rows_tensor_columns) * p.batch;
  };
  few_rows_plan plan{.tensor = true, .b_k_major = along_k, .vectorized = true, .chunk = chunk};
  if (chunks > 1 && blocks(1) * chunks <= device.multiprocessors) {
    plan.tile = 1;
    plan.split_k_slices = chunks;
    plan.reason = "k divided";
    return plan;
  }
  if (!waits_for_b(p, few_rows_tensor, few_rows_tensor_bytes, along_k)) return std::nullopt;
  const bool few = p.m <= few_rows_tensor_tiles[0].rows;
  plan.tile = blocks(0) <= device.multiprocessors   ? 0
              : few                                 ? 1
              : blocks(2) <= device.multiprocessors ? 2
                                                    : 3;
  plan.reason = "reads b once";
  return plan;
}

}  // namespace tandem::cuda_impl::detail
