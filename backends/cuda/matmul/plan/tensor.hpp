// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/engines.hpp>
#include <tandem/backends/cuda/matmul/plan/f32_f64.hpp>
#include <tandem/backends/cuda/matmul/plan/few_rows.hpp>
#include <tandem/backends/cuda/matmul/plan/mma.hpp>

#include <tandem/core/math.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

/// Chooses the kernel for a product on tensor cores. Plain C++, tested on the host. No choice made
/// here changes a bit of the result: chunks of floating-point terms depend only on k and the call's
/// split_k, and sums of 8-bit integers are exact modulo 2^32, so k may be split to suit the
/// machine.
namespace tandem::cuda_impl {

/// Most terms of k for which mma.sync's tiles take less time than copies of operands for wgmma.
inline constexpr index_t few_mma_terms = 512;

namespace detail {

/// Whether TMA can write c. The only finish must be a factor, and rows must consist of whole
/// 16-byte pieces, since TMA writes no less, even past the end of a row.
template <class T, class In>
bool tma_can_write(const matmul_problem<T, In>& p) {
  const bool plain = p.beta == 0 && p.bias == nullptr && p.activation == matmul_activation::none;
  const bool whole = p.n * static_cast<index_t>(sizeof(T)) % 16 == 0;
  return plain && whole && (p.batch == 1 || p.c_batch > 0) &&
         tma_can_read(p.c, p.c_column, p.n, p.c_row, p.m, p.c_batch, p.batch);
}

/// Returns how the wgmma kernels read an operand of `outer` rows (columns) by k terms. If `either`,
/// it may be contiguous along the outer index rather than along k.
template <class In>
tensor_operand choose_operand(bool either, const In* data, index_t outer_stride, index_t outer,
                              index_t k_stride, index_t k, index_t batch_stride, index_t batch) {
  constexpr index_t line = 128 / static_cast<index_t>(sizeof(In));
  if (tma_can_read(data, k_stride, k, outer_stride, outer, batch_stride, batch))
    return {.k_major = true, .whole_lines = outer_stride % line == 0};
  // NOLINTNEXTLINE(readability-suspicious-call-argument): read the other way round, k runs outside
  if (either && tma_can_read(data, outer_stride, outer, k_stride, k, batch_stride, batch))
    return {.k_major = false, .whole_lines = k_stride % line == 0};
  if constexpr (is_int8<In>) {
    return {.k_major = true, .packed = true};  // the copy of 8-bit integers reads any order
  } else {
    const bool mn_major = outer_stride == 1 && k_stride != 1;
    if (mn_major) return {.k_major = !either, .packed = true, .transposing = !either};
    return {.k_major = true, .packed = true, .transposing = k_stride != 1 && k > 1};
  }
}
template <class T, class In>
tensor_operand choose_a(const matmul_problem<T, In>& p) {
  return choose_operand(true, p.a, p.a_row, p.m, p.a_column, p.k, p.a_batch, p.batch);
}
template <class T, class In>
tensor_operand choose_b(const matmul_problem<T, In>& p, bool either) {
  return choose_operand(either, p.b, p.b_column, p.n, p.b_row, p.k, p.b_batch, p.batch);
}

/// Whether tf32 should compute c transposed: its kernels read b only along k, but a in either
/// order.
template <class In, class T>
bool reads_transposed(const matmul_problem<T, In>& p) {
  if constexpr (!std::is_same_v<In, float>) {
    return false;
  } else {
    return tma_can_write(p) &&
           tma_can_read(p.a, p.a_column, p.k, p.a_row, p.m, p.a_batch, p.batch) &&
           tma_can_read(p.b, p.b_column, p.n, p.b_row, p.k, p.b_batch, p.batch) &&
           !tma_can_read(p.b, p.b_row, p.k, p.b_column, p.n, p.b_batch, p.batch);
  }
}

/// Whether to compute c transposed. Its rows are then contiguous. Exceptions: few rows become few
/// columns, for which there is a narrow tile, and tf32 prefers one order of operands.
template <class T, class In>
bool transposes(const matmul_problem<T, In>& p, const matmul_device&) {
  constexpr index_t few = 32;
  if (p.m <= few && p.n > 2 * few && p.a_column == 1) return true;
  if (p.n <= few && p.m > 2 * few && p.b_row == 1) return false;
  const bool columns = has_contiguous_columns(p);
  return reads_transposed<In>(columns ? transposed(p) : p) ? !columns : columns;
}

/// For 8-bit integers: Hopper's kernels read only a in either order, so if the operands are
/// contiguous along n and m, the larger one becomes a.
inline bool transposes(const int8_problem& p, const matmul_device& device) {
  constexpr index_t few = int8_hopper_tiles[std::size(int8_hopper_tiles) - 1].n;
  if (p.m <= few && p.n > few) return true;
  if (p.n <= few && p.m > few) return false;
  const bool columns = has_contiguous_columns(p);
  const int8_problem q = columns ? transposed(p) : p;
  if (!device.runs_sm90a() || choose_b(q, true).k_major) return columns;
  return choose_a(q).k_major || q.n > q.m ? !columns : columns;
}

/// Whether wgmma's kernel for a tile can compute a problem whose k has `chunks` chunks, either all
/// of them in one block or each in a separate block.
template <class In>
constexpr bool can_take(const tensor_tile& tile, const tensor_plan& plan, index_t chunks,
                        bool split_k) {
  if (!split_k && chunks > 1 && tile.held() > 128) return false;  // no registers for two totals
  if (tile.n < 64 && !plan.b.k_major) return false;               // narrower than a TMA tile
  if (std::is_same_v<In, float> && !plan.a.k_major && !tile.takes_a_in_registers()) return false;
  return tile.element_bytes == 0 || tile.element_bytes == static_cast<int>(sizeof(In));
}

/// Decides which blocks share tiles of an operand. Rows that do not begin at a line of memory are
/// fetched as two lines, so it pays off to fetch them once for two blocks.
inline void choose_cluster(index_t m, index_t n, tensor_plan& plan) {
  const tensor_tile& tile = tensor_tiles[plan.tile];
  plan.shares_a = tile.m() > tile.n;
  const bool several = plan.shares_a ? n > tile.n : m > tile.m();
  const bool lines = plan.a.whole_lines && plan.b.whole_lines;
  plan.cluster = several && !lines ? tile.cluster : 1;
}

/// Whether a tile is wider than c while a narrower one holds all of c's columns. Such a product
/// waits for a, which narrow tiles leave more stages for and more multiprocessors read.
template <class In>
constexpr bool is_too_wide(const tensor_tile& tile, const tensor_plan& plan, index_t n,
                           index_t chunks, bool split_k) {
  return std::any_of(std::begin(tensor_tiles), std::end(tensor_tiles), [&](const tensor_tile& t) {
    return t.n < 64 && t.n < tile.n && n <= t.n && can_take<In>(t, plan, chunks, split_k);
  });
}

/// Whether c is wider than a tile whose rows are too short for tensor copies, which store faster.
template <class T>
constexpr bool is_too_narrow(const tensor_tile& tile, index_t n) {
  return tile.n * static_cast<int>(sizeof(T)) < 128 && n > tile.n;
}

/// Stores the fastest tile in the plan, with k undivided or split by chunks.
template <class T, class In>
void choose_tile(const matmul_problem<T, In>& p, int multiprocessors, tensor_plan& plan) {
  constexpr index_t block = 128 / static_cast<index_t>(sizeof(In));
  const index_t chunks = tensor_chunks(p.k, p.split_k);
  plan.cost = -1;
  for (int index = 0; index < static_cast<int>(std::size(tensor_tiles)); ++index) {
    const tensor_tile& tile = tensor_tiles[index];
    for (const index_t slices : {index_t{1}, chunks}) {
      if (!can_take<In>(tile, plan, chunks, slices > 1) ||
          is_too_wide<In>(tile, plan, p.n, chunks, slices > 1) ||
          (slices == 1 && is_too_narrow<T>(tile, p.n)))
        continue;
      const index_t terms = slices == 1 ? p.k : plan.chunk;
      const auto blocks = static_cast<double>(ceil_div<index_t>(terms, block));
      const double bytes = total_bytes(slices, p.batch, p.m, p.n);
      double cost = tensor_cost(tile, p.m, p.n, p.batch * slices, blocks, multiprocessors);
      if (slices > 1) cost += 4000 + totals_cost(bytes, multiprocessors);
      if (slices > 1 && bytes > maximum_tensor_scratch) continue;
      if (plan.cost >= 0 && plan.cost <= cost) continue;
      plan.tile = index;
      plan.split_k_slices = slices;
      plan.cost = cost;
    }
  }
  plan.slice_k = plan.split_k_slices > 1 ? plan.chunk : p.k;
}

/// Stores the fastest tile for 8-bit integers in the plan, with k in 1, 2, 4, .. slices.
inline void choose_int8_tile(const int8_problem& p, int multiprocessors, tensor_plan& plan) {
  plan.cost = -1;
  for (int index = 0; index < static_cast<int>(std::size(int8_hopper_tiles)); ++index) {
    for (index_t slices = 1; slices == 1 || (slices <= int8_slices && p.k / slices >= int8_slice);
         slices *= 2) {
      const index_t blocks = ceil_div(ceil_div(p.k, slices), index_t{128});
      double cost = tensor_cost(int8_hopper_tiles[index], p.m, p.n, p.batch * slices,
                                static_cast<double>(blocks), multiprocessors);
      const double bytes = total_bytes(slices, p.batch, p.m, p.n);
      if (slices > 1)
        cost += 5500 + 20.0 * static_cast<double>(slices) + totals_cost(bytes, multiprocessors);
      if (plan.cost >= 0 && plan.cost <= cost) continue;
      plan.cost = cost;
      plan.tile = index;
      plan.slice_k = blocks * 128;
    }
  }
  plan.chunk = plan.slice_k;
  plan.split_k_slices = ceil_div(p.k, plan.slice_k);
}

}  // namespace detail

/// Plans a product with wgmma, for Hopper.
template <class T, class In>
tensor_plan plan_wgmma(const matmul_problem<T, In>& p, const matmul_device& device) {
  tensor_plan plan{.a = detail::choose_a(p), .b = detail::choose_b(p, is_16bit_float<In>)};
  if constexpr (is_int8<In>) {
    detail::choose_int8_tile(p, device.multiprocessors, plan);
    const tensor_tile& tile = int8_hopper_tiles[plan.tile];
    // Sharing b saves power over many waves of tiles, but costs time if there are few.
    const index_t tiles =
        ceil_div<index_t>(p.m, tile.m()) * ceil_div<index_t>(p.n, tile.n) * p.batch;
    plan.cluster = tiles >= 8 * index_t{device.multiprocessors} ? tile.cluster : 1;
  } else {
    plan.chunk = tensor_chunk(p.k, p.split_k);
    detail::choose_tile(p, device.multiprocessors, plan);
    detail::choose_cluster(p.m, p.n, plan);
    const double bytes =
        static_cast<double>(p.batch * (p.m + p.n)) * static_cast<double>(p.k) * sizeof(In);
    plan.group =
        sizeof(T) == 4 && bytes <= tensor_held_bytes ? tensor_group_of_floats : tensor_group;
  }
  plan.reason =
      plan.split_k_slices > 1 ? "least estimated time, k divided" : "least estimated time";
  return plan;
}

namespace detail {

/// Plans a product of few rows or columns, or of a small c with k divided, if few_rows/ computes it
/// faster than tiles do.
template <class T, class In>
std::optional<matmul_plan<In>> plan_tensor_few_rows(const matmul_problem<T, In>& problem,
                                                    const matmul_device& device) {
  if (device.compute_capability < 80 || device.block_shared < few_rows_tensor_shared ||
      reason_for_reference(problem) != nullptr)
    return std::nullopt;
  const index_t chunk = tensor_chunk(problem.k, problem.split_k);
  const index_t chunks = tensor_chunks(problem.k, problem.split_k);
  for (const bool flips : {false, true}) {
    const matmul_problem<T, In> p = flips ? transposed(problem) : problem;
    if (const auto plan = choose_few_rows(p, device, chunk, chunks))
      return matmul_plan<In>{flips, *plan};
  }
  return std::nullopt;
}

/// Plans a small product with mma.sync if wgmma needs copies of operands that cp.async can read in
/// place. A copy is another launch, which takes longer than mma.sync's slower steps if there are
/// few of them and all tiles run at once.
template <class T, class In>
std::optional<matmul_plan<In>> plan_without_copies(const matmul_problem<T, In>& problem,
                                                   const matmul_device& device,
                                                   const tensor_plan& wgmma) {
  if (!(wgmma.a.packed || wgmma.b.packed) || problem.k > few_mma_terms) return std::nullopt;
  const bool flips = has_contiguous_columns(problem);
  const matmul_problem<T, In> p = flips ? transposed(problem) : problem;
  mma_plan plan = plan_mma(p, device);
  const auto in_pieces = [](mma_access access) {
    return access == mma_access::k_major_vectorized || access == mma_access::mn_major_vectorized;
  };
  const mma_tile& tile = mma_tiles[2];
  const index_t tiles = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  if (!in_pieces(plan.a) || !in_pieces(plan.b) || tiles > device.multiprocessors)
    return std::nullopt;
  plan.tile = 2;
  plan.reason = "copies of operands would take longer";
  return matmul_plan<In>{flips, plan};
}

}  // namespace detail

/// Plans a product on tensor cores, or of their types without them; c must not be empty.
template <class T, class In>
matmul_plan<In> plan_tensor(const matmul_problem<T, In>& problem, const matmul_device& device) {
  const bool flips = detail::transposes(problem, device);
  const matmul_problem<T, In> p = flips ? transposed(problem) : problem;
  if (const char* const reason = detail::reason_for_reference(p))
    return {flips, reference_for(p.kernel, reason)};
  if constexpr (!is_int8<In>) {
    if (const auto rows = detail::plan_tensor_few_rows(problem, device)) return *rows;
  }
  if (device.runs_sm90a()) {
    const tensor_plan plan = plan_wgmma(p, device);
    if constexpr (is_16bit_float<In>) {
      if (const auto small = detail::plan_without_copies(problem, device, plan)) return *small;
    }
    return {flips, plan};
  }
  if (has_mma<In>(device)) return {flips, plan_mma(p, device)};
  return {flips, reference_for(p.kernel, "the device has no tensor cores for these elements")};
}

/// Plans the addition of a product's chunks to the totals of earlier terms in c, in one launch. The
/// plan is empty without wgmma, or if tiles do not fill the device.
template <class In>
matmul_plan<In> plan_tensor_continuation(const matmul_problem<float, In>& problem,
                                         const matmul_device& device) {
  const bool flips = detail::transposes(problem, device);
  const matmul_problem<float, In> p = flips ? transposed(problem) : problem;
  constexpr const tensor_tile& tile = tensor_tiles[continuing_tensor_tile];
  const index_t tiles = ceil_div<index_t>(p.m, tile.m()) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  if (!device.runs_sm90a() || detail::reason_for_reference(p) != nullptr ||
      tiles < device.multiprocessors)
    return {};
  tensor_plan plan{.tile = continuing_tensor_tile,
                   .a = detail::choose_a(p),
                   .b = detail::choose_b(p, true),
                   .chunk = matmul_chunk,
                   .slice_k = p.k,
                   .continues = true,
                   .reason = "added to totals"};
  detail::choose_cluster(p.m, p.n, plan);
  return {flips, plan};
}

}  // namespace tandem::cuda_impl
