// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/candidates.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor_candidates.hpp>

#include <cstddef>

/// What a plan knows of a device, and what it estimates that kernels take there. The constants are
/// fitted to measured times; only their ratios matter.
namespace tandem::cuda_impl {

/// What the choice needs to know of a device and of this build.
struct matmul_device {
  int multiprocessors = 1;
  int compute_capability = 0;
  std::size_t block_shared = 49152;  ///< most bytes of shared memory a block may ask for
  bool has_sm90a = false;            ///< whether this build has the kernels for sm_90a

  /// Whether the kernels of hopper/ run there.
  constexpr bool runs_sm90a() const { return has_sm90a && compute_capability == 90; }
};

namespace detail {

/// Largest extent of the fast kernels, whose indices have 32 bits; a tile may reach beyond the end.
inline constexpr index_t maximum_extent = 0x7fffffff - 1024;

/// Bytes of totals above which k of floats and doubles is not divided, and so on tensor cores.
inline constexpr double maximum_scratch = 256.0 * 1024 * 1024;
inline constexpr double maximum_tensor_scratch = 256e6;

/// Bytes above which b is not packed.
inline constexpr double maximum_packed = 1024.0 * 1024 * 1024;

/// The share of its peak that a multiprocessor with this many warps reaches, of what it does with
/// 16: fewer hide less of the latencies, and fewer than 4 leave schedulers idle.
constexpr double warp_share(double warps) {
  if (warps >= 16) return 1;
  if (warps >= 8) return 0.88 + 0.12 * (warps - 8) / 8;
  if (warps >= 4) return 0.65 + 0.23 * (warps - 4) / 4;
  return 0.65 * warps / 4;
}

/// Multiply-adds of the busiest multiprocessor, divided by the share of its peak that its blocks
/// reach. There are `copies` blocks of each tile, for the batch and the slices of k.
constexpr double fma_cost(const matmul_candidate& c, index_t m, index_t n, index_t copies,
                          index_t terms, int multiprocessors) {
  const matmul_tile& tile = c.tile;
  const index_t blocks = (m + tile.m - 1) / tile.m * ((n + tile.n - 1) / tile.n) * copies;
  const index_t busiest = (blocks + multiprocessors - 1) / multiprocessors;
  const index_t resident = busiest < tile.min_blocks_per_sm ? busiest : tile.min_blocks_per_sm;
  const index_t warps = resident * tile.threads() / 32;
  const double share = warp_share(static_cast<double>(warps));
  return static_cast<double>(busiest * tile.m * tile.n * (terms + c.overhead)) /
         (c.efficiency * share);
}

/// Cost of a kernel that only moves data: its launch, and what a multiprocessor could do while it
/// moves a byte, `each` multiply-adds.
constexpr double pass_cost(double bytes, double each, int multiprocessors) {
  return 450e3 + each * bytes / multiprocessors;
}
inline constexpr double sum_each = 9;         ///< of slices' totals, which L2 mostly holds
inline constexpr double pack_each = 16;       ///< of rows, read and written
inline constexpr double transpose_each = 25;  ///< of columns that become rows

/// Clocks of the busiest multiprocessor on tensor cores: whole rounds of tiles of so many blocks of
/// k.
constexpr double tensor_cost(const tensor_tile& tile, index_t m, index_t n, index_t copies,
                             double blocks, int multiprocessors) {
  const index_t tiles = (m + tile.m() - 1) / tile.m() * ((n + tile.n - 1) / tile.n) * copies;
  const index_t at_once = index_t{multiprocessors} * tile.min_blocks_per_sm;
  const index_t rounds = (tiles + at_once - 1) / at_once;
  // Blocks that share a multiprocessor share its tensor cores.
  const index_t alone = tiles <= multiprocessors ? 1 : tile.min_blocks_per_sm;
  return static_cast<double>(rounds * alone) * (blocks * tile.block_clocks + tile.tile_clocks);
}

/// Bytes of the totals of `slices` slices of k, 4 for each element.
constexpr double total_bytes(index_t slices, index_t batch, index_t m, index_t n) {
  return static_cast<double>(slices * batch * m) * static_cast<double>(n) * 4;
}

/// Clocks that totals of so many bytes take on their way through memory, at 14 bytes per clock and
/// multiprocessor.
constexpr double totals_cost(double bytes, int multiprocessors) {
  return bytes / 7 / multiprocessors;
}

}  // namespace detail
}  // namespace tandem::cuda_impl
