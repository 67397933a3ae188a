// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/mma.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>
#include <tandem/core/math.hpp>

#include <iterator>

/// Which kernel multiplies 8-bit integers: plain C++, tested on the host. Their sums are exact
/// modulo 2^32, so everything may be divided as it suits the machine.
namespace tandem::cuda_impl {

using int8_problem = matmul_problem<std::int32_t, std::int8_t>;

/// How a product of 8-bit integers is computed.
struct int8_plan {
  tensor_kernel kernel = tensor_kernel::reference;
  tensor_operand a = {};  ///< a copy has terms of k as neighbours and rows aligned
  tensor_operand b = {};
  int tile = 0;                ///< index into mma_tiles or int8_hopper_tiles
  int cluster = 1;             ///< blocks that share tiles of b
  index_t split_k_slices = 1;  ///< whose sums a second kernel adds
  index_t slice_k = 0;         ///< terms of a slice
  const char* reason = "";
};

/// Tiles of the kernels for Hopper, largest first; clocks as measured on an H200, a block being 128
/// terms.
inline constexpr tensor_tile int8_hopper_tiles[] = {
    {"wgmma 128x256", 2, 256, 2, 1, 1080, 6300},
    {"wgmma 128x128", 2, 128, 1, 1, 620, 4000},
    {"wgmma 64x128", 1, 128, 1, 2, 400, 2800},
    {"wgmma 64x32", 1, 32, 1, 2, 330, 2300},
};

/// Terms of k from which on a part is worth blocks of its own, and most parts.
inline constexpr index_t int8_part = 512;
inline constexpr index_t int8_parts = 128;

/// Whether an operand is read often enough for a copy of it to pay: each of its elements once for
/// every tile along the `other` extent.
constexpr bool pays_to_pack(mma_access access, index_t other) {
  return access != mma_access::k_major_vectorized && other > 2 * mma_tiles[0].m;
}

/// Bytes from row to row of a packed operand.
constexpr index_t packed_pitch(index_t k) { return round_up(k, index_t{16}); }

/// The number of parts of k that gives each multiprocessor a block, if k has that many.
constexpr index_t divide_int8(index_t blocks, index_t k, int multiprocessors) {
  const index_t wanted = blocks > 0 ? multiprocessors / blocks : 1;
  const index_t possible = k / int8_part;
  return max(index_t{1}, min(min(wanted, possible), int8_parts));
}

/// How the kernels for Hopper read an operand of `outer` rows (columns): `either` says whether it
/// may be contiguous along them rather than along k.
inline tensor_operand read_int8(bool either, const int8_problem& p, const std::int8_t* data,
                                index_t outer, index_t outer_stride, index_t k_stride,
                                index_t batch_stride) {
  const auto reads = [&](index_t inner_stride, index_t inner, index_t run_stride, index_t runs) {
    return detail::tma_can_read(data, inner_stride, inner, run_stride, runs, batch_stride, p.batch);
  };
  if (reads(k_stride, p.k, outer_stride, outer)) return {.k_major = true};
  if (either && reads(outer_stride, outer, k_stride, p.k)) return {.k_major = false};
  return {.k_major = true, .packed = true};
}
inline tensor_operand read_int8_a(const int8_problem& p) {
  return read_int8(true, p, p.a, p.m, p.a_row, p.a_column, p.a_batch);
}
inline tensor_operand read_int8_b(const int8_problem& p, bool either) {
  return read_int8(either, p, p.b, p.n, p.b_column, p.b_row, p.b_batch);
}

/// Whether a device and this build have Hopper's own instructions.
constexpr bool int8_wgmma(const tensor_device& device) {
  return device.compute_capability == 90 && device.has_wgmma;
}

/// The problem or its transpose: the one whose rows of c are contiguous, except that a c of few
/// rows becomes one of few columns, for which there is a tile, and that Hopper's kernels read only
/// a in either order: of two operands that are contiguous along n and m the larger one.
inline int8_problem oriented_int8(const int8_problem& p, const tensor_device& device) {
  constexpr index_t few = int8_hopper_tiles[std::size(int8_hopper_tiles) - 1].n;
  if (p.m <= few && p.n > few) return transposed(p);
  if (p.n <= few && p.m > few) return p;
  const int8_problem q = p.c_row == 1 && p.c_column != 1 ? transposed(p) : p;
  if (!int8_wgmma(device) || read_int8_b(q, true).k_major) return q;
  return read_int8_a(q).k_major || q.n > q.m ? transposed(q) : q;
}

/// The least estimated clocks of a tile of Hopper's kernels, with k divided or not, into the plan.
inline void choose_hopper_tile(const int8_problem& p, int multiprocessors, int8_plan& plan) {
  double best = -1;
  for (int index = 0; index < static_cast<int>(std::size(int8_hopper_tiles)); ++index) {
    for (index_t parts = 1; parts == 1 || (parts <= int8_parts && p.k / parts >= int8_part);
         parts *= 2) {
      const index_t blocks = ceil_div(ceil_div(p.k, parts), index_t{128});
      double cost = detail::tensor_cost(int8_hopper_tiles[index], p.m, p.n, p.batch * parts,
                                        static_cast<double>(blocks), multiprocessors);
      // The totals' way through memory at 14 bytes a clock and multiprocessor, a second kernel.
      const double bytes =
          4.0 * static_cast<double>(parts * p.batch * p.m) * static_cast<double>(p.n);
      if (parts > 1) cost += 5500 + 20.0 * static_cast<double>(parts) + bytes / 7 / multiprocessors;
      if (best >= 0 && best <= cost) continue;
      best = cost;
      plan.tile = index;
      plan.split_k_slices = parts;
      plan.slice_k = blocks * 128;
    }
  }
  plan.split_k_slices = ceil_div(p.k, plan.slice_k);
}

/// The plan for Hopper, whose kernels want k contiguous in b and rows aligned.
inline int8_plan plan_int8_hopper(const int8_problem& p, int multiprocessors) {
  int8_plan plan{.kernel = tensor_kernel::wgmma, .a = read_int8_a(p), .b = read_int8_b(p, false)};
  choose_hopper_tile(p, multiprocessors, plan);
  const tensor_tile& tile = int8_hopper_tiles[plan.tile];
  // Sharing b saves power over many rounds of tiles, and costs time where there are few.
  const index_t tiles = ceil_div<index_t>(p.m, tile.m()) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  plan.cluster = tiles >= 8 * index_t{multiprocessors} ? tile.cluster : 1;
  plan.reason =
      plan.split_k_slices > 1 ? "least estimated time, k divided" : "least estimated time";
  return plan;
}

/// The plan for a problem that oriented_int8 has returned.
///
/// @param block_shared  most bytes of shared memory that a block may ask for
inline int8_plan plan_int8(const int8_problem& p, const tensor_device& device,
                           std::size_t block_shared) {
  if (p.kernel != matmul_kernel::automatic) return {.reason = "asked for"};
  if (p.k == 0) return {.reason = "k is 0: nothing to multiply"};
  if (max(max(p.m, p.n), p.k) > detail::tensor_extent)
    return {.reason = "an extent needs more than 31 bits"};
  if (int8_wgmma(device)) return plan_int8_hopper(p, device.multiprocessors);
  const mma_plan tensor = plan_mma(p, p.k, 1, device.multiprocessors, block_shared);
  const mma_tile& tile = mma_tiles[tensor.tile];
  const index_t blocks = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  const index_t parts = divide_int8(blocks, p.k, device.multiprocessors);
  // Whole steps, and aligned where the operands are.
  const index_t slice_k = round_up(ceil_div(p.k, parts), index_t{mma_tile::step_bytes});
  return {.kernel = tensor_kernel::mma,
          .a = {.packed = pays_to_pack(tensor.a, p.n)},
          .b = {.packed = pays_to_pack(tensor.b, p.m)},
          .tile = tensor.tile,
          .split_k_slices = ceil_div(p.k, slice_k),
          .slice_k = slice_k,
          .reason = "the device or this build lacks wgmma"};
}

}  // namespace tandem::cuda_impl
