// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_mma.hpp>
#include <tandem/backends/cuda/matmul_plan.hpp>
#include <tandem/core/math.hpp>

#include <iterator>

/// Which kernel multiplies 8-bit integers: plain C++, tested on the host. Their sums are exact
/// modulo 2^32, so everything may be divided as it suits the machine.
namespace tandem::cuda_impl {

using int8_problem = matmul_problem<std::int32_t, std::int8_t>;

enum class int8_kernel : unsigned char { naive, tiled, mma, wgmma };

/// How a product of 8-bit integers is computed.
struct int8_plan {
  int8_kernel kernel = int8_kernel::naive;
  bool pack_a = false;  ///< copied first, so that terms of k are neighbours and rows aligned
  bool pack_b = false;
  int tile = 0;        ///< index into mma_tiles or int8_hopper_tiles
  int cluster = 1;     ///< blocks that share tiles of b
  index_t parts = 1;   ///< of k, whose sums a second kernel adds
  index_t part_k = 0;  ///< terms of a part
  const char* reason = "";
};

/// A tile of the kernels for Hopper: 64 * warpgroups x n elements of c. `block_clocks` is what 128
/// terms take a multiprocessor that does nothing else, `tile_clocks` what a tile takes beside them.
struct int8_hopper_tile {
  const char* name;
  int warpgroups;
  int n;
  int cluster;   ///< most blocks that share tiles of b
  int resident;  ///< blocks that a multiprocessor holds
  double block_clocks;
  double tile_clocks;

  constexpr int m() const { return 64 * warpgroups; }
};

/// Largest first; clocks as measured on an H200.
inline constexpr int8_hopper_tile int8_hopper_tiles[] = {
    {"matmul i8 wgmma 128x256", 2, 256, 2, 1, 1080, 6300},
    {"matmul i8 wgmma 128x128", 2, 128, 1, 1, 620, 4000},
    {"matmul i8 wgmma 64x128", 1, 128, 1, 2, 400, 2800},
    {"matmul i8 wgmma 64x32", 1, 32, 1, 2, 330, 2300},
};

/// What the choice needs to know of a device.
struct int8_device {
  int multiprocessors = 1;
  int compute_capability = 0;
  std::size_t block_shared = 49152;  ///< most bytes of shared memory a block may ask for
  bool has_wgmma = false;            ///< this build has code for it
};

/// Largest extent of the kernels with 32-bit indices; a tile may reach beyond the end.
inline constexpr index_t int8_extent = 0x7fffffff - 1024;

/// Terms of k from which on a part is worth blocks of its own, and most parts.
inline constexpr index_t int8_part = 512;
inline constexpr index_t int8_parts = 128;

/// Whether an operand is read often enough for a copy of it to pay: each of its elements once for
/// every tile along the `other` extent.
constexpr bool pays_to_pack(mma_access access, index_t other) {
  return access != mma_access::terms_wide && other > 2 * mma_tiles[0].m;
}

/// Bytes from row to row of a packed operand.
constexpr index_t packed_pitch(index_t k) { return round_up(k, index_t{16}); }

/// The number of parts of k that gives each multiprocessor a block, if k has that many.
constexpr index_t divide_int8(index_t blocks, index_t k, int multiprocessors) {
  const index_t wanted = blocks > 0 ? multiprocessors / blocks : 1;
  const index_t possible = k / int8_part;
  return max(index_t{1}, min(min(wanted, possible), int8_parts));
}

/// The problem or its transpose: the one whose rows of c are contiguous, except that a c of few
/// rows becomes one of few columns, for which there is a tile.
constexpr int8_problem oriented_int8(const int8_problem& p) {
  constexpr index_t few = int8_hopper_tiles[std::size(int8_hopper_tiles) - 1].n;
  const bool few_rows = p.m <= few && p.n > few;
  const bool few_columns = p.n <= few && p.m > few;
  const bool contiguous_columns = p.c_row == 1 && p.c_column != 1;
  return few_rows || (contiguous_columns && !few_columns) ? transposed(p) : p;
}

/// The least estimated clocks of a tile of Hopper's kernels, with k divided or not, into the plan.
inline void choose_hopper_tile(const int8_problem& p, int multiprocessors, int8_plan& plan) {
  double best = -1;
  for (int index = 0; index < static_cast<int>(std::size(int8_hopper_tiles)); ++index) {
    const int8_hopper_tile& tile = int8_hopper_tiles[index];
    const index_t tiles = ceil_div<index_t>(p.m, tile.m()) * ceil_div<index_t>(p.n, tile.n);
    for (index_t parts = 1; parts == 1 || (parts <= int8_parts && p.k / parts >= int8_part);
         parts *= 2) {
      const index_t blocks = ceil_div(ceil_div(p.k, parts), index_t{128});
      const index_t all = tiles * p.batch * parts;
      const index_t rounds = ceil_div(all, index_t{multiprocessors} * tile.resident);
      const index_t alone = all <= multiprocessors ? 1 : tile.resident;
      double cost = static_cast<double>(rounds * alone) *
                    (static_cast<double>(blocks) * tile.block_clocks + tile.tile_clocks);
      // The totals' way through memory at 14 bytes a clock and multiprocessor, a second kernel.
      const double bytes =
          4.0 * static_cast<double>(parts * p.batch * p.m) * static_cast<double>(p.n);
      if (parts > 1) cost += 5500 + 20.0 * static_cast<double>(parts) + bytes / 7 / multiprocessors;
      if (best >= 0 && best <= cost) continue;
      best = cost;
      plan.tile = index;
      plan.parts = parts;
      plan.part_k = blocks * 128;
    }
  }
  plan.parts = ceil_div(p.k, plan.part_k);
}

/// The plan for Hopper, whose kernels want k contiguous and rows aligned.
inline int8_plan plan_int8_hopper(const int8_problem& p, int multiprocessors) {
  const auto packed = [&](const std::int8_t* data, index_t outer, index_t outer_stride,
                          index_t k_stride, index_t batch_stride) {
    const auto access =
        choose_mma_access(data, outer, outer_stride, p.k, k_stride, p.batch, batch_stride);
    return access != mma_access::terms_wide || outer_stride < 0 || batch_stride < 0 ||
           (outer > 1 && outer_stride == 0);
  };
  int8_plan plan{.kernel = int8_kernel::wgmma,
                 .pack_a = packed(p.a, p.m, p.a_row, p.a_column, p.a_batch),
                 .pack_b = packed(p.b, p.n, p.b_column, p.b_row, p.b_batch)};
  choose_hopper_tile(p, multiprocessors, plan);
  const int8_hopper_tile& tile = int8_hopper_tiles[plan.tile];
  plan.cluster = p.m > tile.m() ? tile.cluster : 1;
  plan.reason = plan.parts > 1 ? "least estimated time, k divided" : "least estimated time";
  return plan;
}

/// The plan for a problem that oriented_int8 has returned.
inline int8_plan plan_int8(const int8_problem& p, const int8_device& device) {
  if (p.kernel == matmul_kernel::naive)
    return {.kernel = int8_kernel::naive, .reason = "asked for"};
  if (p.kernel == matmul_kernel::tiled)
    return {.kernel = int8_kernel::tiled, .reason = "asked for"};
  if (p.k == 0) return {.kernel = int8_kernel::naive, .reason = "k is 0: nothing to multiply"};
  if (max(max(p.m, p.n), p.k) > int8_extent)
    return {.kernel = int8_kernel::naive, .reason = "an extent needs more than 31 bits"};
  if (device.compute_capability == 90 && device.has_wgmma)
    return plan_int8_hopper(p, device.multiprocessors);
  const mma_plan tensor = plan_mma(p, p.k, 1, device.multiprocessors, device.block_shared);
  const mma_tile& tile = mma_tiles[tensor.tile];
  const index_t blocks = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  const index_t parts = divide_int8(blocks, p.k, device.multiprocessors);
  // Whole steps, and aligned where the operands are.
  const index_t part_k = round_up(ceil_div(p.k, parts), index_t{mma_tile::step_bytes});
  return {.kernel = int8_kernel::mma,
          .pack_a = pays_to_pack(tensor.a, p.n),
          .pack_b = pays_to_pack(tensor.b, p.m),
          .tile = tensor.tile,
          .parts = ceil_div(p.k, part_k),
          .part_k = part_k,
          .reason = "the device or this build lacks wgmma"};
}

}  // namespace tandem::cuda_impl
