// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

/// What a plan knows of a device, its cost estimates for kernels there, and the possible plans as
/// values. The constants are fitted to measured times; only their ratios matter.
namespace tandem::cuda_impl {

/// The properties of a device and of this build that the choice depends on.
struct matmul_device {
  int multiprocessors = 1;
  int compute_capability = 0;
  std::size_t block_shared = 49152;  ///< maximum bytes of shared memory per block
  bool has_sm90a = false;            ///< this build contains the kernels for sm_90a

  /// Whether the device runs the kernels of hopper/.
  constexpr bool runs_sm90a() const { return has_sm90a && compute_capability == 90; }
};

namespace detail {

/// Largest extent for the fast kernels, which have 32-bit indices; a tile may extend past the end.
inline constexpr index_t maximum_extent = 0x7fffffff - 1024;

/// Returns why only the reference kernels can compute a problem; nullptr if others may.
template <class T, class In>
const char* reason_for_reference(const matmul_problem<T, In>& p) {
  if (p.kernel != matmul_kernel::automatic) return "asked for";
  if (p.k == 0) return "k is 0: nothing to multiply";
  if (p.m > maximum_extent || p.n > maximum_extent || p.k > maximum_extent)
    return "an extent needs more than 31 bits";
  return nullptr;
}

/// Most bytes of totals for which k is split: for floats and doubles, and on tensor cores.
inline constexpr double maximum_scratch = 256.0 * 1024 * 1024;
inline constexpr double maximum_tensor_scratch = 256e6;

/// Most slices of k per launch, if the grid has them along y.
inline constexpr index_t most_slices = 65535;

/// Most bytes for which b is packed.
inline constexpr double maximum_packed = 1024.0 * 1024 * 1024;

/// The fraction of its speed with 16 warps that a multiprocessor reaches with `warps` warps. Fewer
/// warps hide less latency, and fewer than 4 leave schedulers idle.
constexpr double warp_share(double warps) {
  if (warps >= 16) return 1;
  if (warps >= 8) return 0.88 + 0.12 * (warps - 8) / 8;
  if (warps >= 4) return 0.65 + 0.23 * (warps - 4) / 4;
  return 0.65 * warps / 4;
}

/// Multiply-adds of the busiest multiprocessor, divided by the fraction of its peak that its blocks
/// reach. There are `copies` blocks per tile, for the batch and the slices of k.
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

/// Cost of a kernel that only moves data: its launch, plus `each` multiply-adds that a
/// multiprocessor could perform in the time per byte.
constexpr double pass_cost(double bytes, double each, int multiprocessors) {
  return 450e3 + each * bytes / multiprocessors;
}
inline constexpr double sum_each = 9;         ///< for the slices' totals, which are mostly in L2
inline constexpr double pack_each = 16;       ///< for rows, read and written
inline constexpr double transpose_each = 25;  ///< for columns that become rows

/// Clocks of the busiest multiprocessor on tensor cores: whole waves of tiles with `blocks` blocks
/// of k each.
constexpr double tensor_cost(const tensor_tile& tile, index_t m, index_t n, index_t copies,
                             double blocks, int multiprocessors) {
  const index_t tiles = (m + tile.m() - 1) / tile.m() * ((n + tile.n - 1) / tile.n) * copies;
  const index_t at_once = index_t{multiprocessors} * tile.min_blocks_per_sm;
  const index_t rounds = (tiles + at_once - 1) / at_once;
  // Blocks on the same multiprocessor share its tensor cores.
  const index_t alone = tiles <= multiprocessors ? 1 : tile.min_blocks_per_sm;
  return static_cast<double>(rounds * alone) * (blocks * tile.block_clocks + tile.tile_clocks);
}

/// Bytes of the totals of `slices` slices of k, 4 per element.
constexpr double total_bytes(index_t slices, index_t batch, index_t m, index_t n) {
  return static_cast<double>(slices * batch * m) * static_cast<double>(n) * 4;
}

/// Clocks for moving `bytes` bytes of totals through memory, at 14 bytes per clock and
/// multiprocessor.
constexpr double totals_cost(double bytes, int multiprocessors) {
  return bytes / 7 / multiprocessors;
}

}  // namespace detail

// Plans, as values: plan_matmul (plan.hpp) makes one from a problem and a device, explain()
// describes it, and the dispatch runs it.

using tandem::detail::batch_slice;
using tandem::detail::transposed;

/// c has no elements: nothing runs.
struct empty_plan {
  const char* reason = "c is empty";
};

/// A kernel in the canonical shape for any extents and strides: the tiled one or the naive one.
struct reference_plan {
  matmul_kernel kernel = matmul_kernel::naive;
  const char* reason = "";
};

/// Returns the reference kernel that a problem requests, or the naive one if it requests none.
constexpr reference_plan reference_for(matmul_kernel asked, const char* reason) {
  return {asked == matmul_kernel::tiled ? asked : matmul_kernel::naive, reason};
}

/// Fused multiply-adds, or the fp64 tensor cores, which give the same bits.
struct fma_plan {
  int candidate = 0;  ///< index into matmul_candidates
  operand_major a = operand_major::k_major;
  operand_major b = operand_major::k_major;
  bool vectorized = false;  ///< copies 16 bytes at a time if the engine can
  /// Whether b is first copied to aligned rows, which `b` and `vectorized` then describe.
  bool pack_b = false;
  /// Blocks that share a tile's k: 1, or one per chunk, whose totals a second kernel adds in order.
  index_t split_k_slices = 1;
  double cost = 0;         ///< estimated multiply-adds of the busiest multiprocessor
  bool continues = false;  ///< adds to the totals of earlier terms, which c has
  const char* reason = "";
};

/// Few rows of a: the product takes as long as reading b (few_rows/).
struct few_rows_plan {
  bool tensor = false;           ///< on tensor cores by mma.sync
  int tile = 0;                  ///< index into few_rows_tensor_tiles
  bool b_k_major = false;        ///< b is contiguous along k, otherwise along n
  bool vectorized = false;       ///< a and b are copied 16 bytes at a time
  index_t chunk = matmul_chunk;  ///< terms of k between two totals
  /// Blocks that share a column's k: 1, or one per chunk, the last of which adds the totals.
  index_t split_k_slices = 1;
  const char* reason = "";
};

/// A batch of small products, several per block or in panels.
struct batched_plan {
  int candidate = 0;  ///< index into batched_candidates
  const char* reason = "";
};

/// Tensor cores by mma.sync.
struct mma_plan {
  int tile = 0;  ///< index into mma_tiles
  mma_access a = mma_access::k_major;
  mma_access b = mma_access::k_major;
  int a_piece = 16;     ///< bytes per copy of the vectorized accesses: 16, or 8 or 4 if rows are
  int b_piece = 16;     ///< aligned to no more
  index_t chunk = 0;    ///< terms of k that the instruction accumulates before totals are added
  bool pack_a = false;  ///< 8-bit integers: copied first to align rows
  bool pack_b = false;
  index_t split_k_slices = 1;  ///< of `chunk` terms each, or one with all terms
  const char* reason = "";
};

/// How the wgmma kernels read an operand.
struct tensor_operand {
  bool k_major = true;       ///< contiguous along k, otherwise along the rows of a (columns of b)
  bool packed = false;       ///< copied first, because TMA cannot read it in place
  bool transposing = false;  ///< the copy changes which index is contiguous
  bool whole_lines = true;   ///< its rows begin at 128-byte lines of memory
};

/// Tensor cores by wgmma.
struct tensor_plan {
  int tile = 0;           ///< index into tensor_tiles, or into int8_hopper_tiles for 8-bit integers
  int cluster = 1;        ///< blocks that share tiles of an operand
  bool shares_a = false;  ///< the shared operand is a, otherwise b
  int group = tensor_group;  ///< rows of tiles
  tensor_operand a = {};
  tensor_operand b = {};
  index_t chunk = 0;           ///< terms of k between two totals
  index_t split_k_slices = 1;  ///< slices of k that separate blocks process
  index_t slice_k = 0;         ///< terms per slice
  bool continues = false;      ///< adds to the totals of earlier terms, which c has
  double cost = 0;             ///< estimated clocks
  const char* reason = "";
};

/// Floats as sums of products of their bf16 components.
struct bf16x_plan {
  int products = 6;
  const char* reason = "";
};

/// The engines that multiply elements of In; a plan holds one of them.
template <class In>
struct matmul_engines {
  using type = std::variant<empty_plan, reference_plan, few_rows_plan, mma_plan, tensor_plan>;
};
template <>
struct matmul_engines<std::int8_t> {
  using type = std::variant<empty_plan, reference_plan, mma_plan, tensor_plan>;
};
template <>
struct matmul_engines<float> {
  using type = std::variant<empty_plan, reference_plan, fma_plan, few_rows_plan, batched_plan,
                            mma_plan, tensor_plan, bf16x_plan>;
};
template <>
struct matmul_engines<double> {
  using type = std::variant<empty_plan, reference_plan, fma_plan, few_rows_plan, batched_plan>;
};

/// How a problem is computed.
template <class In>
struct matmul_plan {
  bool transposes = false;  ///< computes c transposed: the engine is planned for transposed(p)
  typename matmul_engines<In>::type engine = {};
  const char* fallback = "";  ///< why a kernel other than the requested one runs
};

}  // namespace tandem::cuda_impl
