// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/batched.hpp>

/// Batches of middle-sized products: a block computes one product after the other, and copies
/// slices of k to a ring of stages in shared memory ahead of what it multiplies, from one product
/// on into the next. So memory is busy while a product is multiplied and while it is written. The
/// choice is plain C++, so that a machine without a GPU can test it.
namespace tandem::cuda_impl {

/// How a block of matmul_batched_ring_kernel cuts products of at most m x m elements: in panels of
/// n columns, a power of 2 of them. A warp computes 8 x 4 rectangles of rows x columns elements, a
/// lane's each. Operands are copied `depth` terms at a time, `stages` - 1 ahead.
struct ring_tile {
  int m;
  int n;
  int rows;
  int columns;
  int min_blocks_per_sm;  ///< blocks that share a multiprocessor: bounds the registers of a thread
  int depth;
  int stages;
  int least;            ///< products of up to that size go elsewhere
  bool tensor = false;  ///< fp64: by tensor cores where there are any

  TANDEM_FUNCTION constexpr int panels() const { return m / n; }
  TANDEM_FUNCTION constexpr int warps_n() const { return n / (4 * columns); }
  TANDEM_FUNCTION constexpr int threads() const { return 32 * (m / (8 * rows)) * warps_n(); }
};

/// A tile that may be chosen.
struct ring_candidate {
  const char* name;
  ring_tile tile;
};

/// Chosen among others by measurement on an H200 (docs/matmul.md).
// clang-format off
//                                                m    n  rows columns resident depth stages least
inline constexpr ring_candidate ring_f32[] = {
    {"matmul f32 ring 48x48",    { 48,  48,  6,   12,     10,    16,     3,   32}},
    {"matmul f32 ring 64x64",    { 64,  64,  8,   16,      8,    16,     3,   48}},
    {"matmul f32 ring 96x96",    { 96,  96,  6,   12,      3,    32,     2,   64}},
};
inline constexpr ring_candidate ring_f64[] = {
    {"matmul f64 ring 96x48",    { 96,  48,  6,    6,      3,    16,     3,   64,  true}},
};
// clang-format on

/// Products that a multiprocessor must have for a ring to pay: fewer, and more threads a product
/// are the faster.
inline constexpr int ring_products = 4;

/// The tiles for elements of type T, smallest first.
template <class T>
constexpr std::span<const ring_candidate> ring_candidates() {
  if constexpr (std::is_same_v<T, float>) {
    return ring_f32;
  } else {
    return ring_f64;
  }
}

/// How a stage lies in shared memory, in elements: a slice of b, rows along n, and behind it one of
/// a, rows along k. The pitches are those of whole tiles, so that addresses are known to the
/// compiler; with 4 elements more than a row of a has, and a row of b for the tensor cores, what a
/// warp reads at a time is in different banks. a's last 4 and the first row of a behind b are what
/// a thread reads that has no more terms to read.
struct ring_layout {
  int a_pitch;
  int b_pitch;
  int a_first;
  int stage;
};

TANDEM_FUNCTION constexpr ring_layout lay_out(const ring_tile& tile) {
  const int a_pitch = tile.depth + 4;
  const int b_pitch = tile.n + (tile.tensor ? 4 : 0);
  const int a_first = tile.depth * b_pitch;
  return {a_pitch, b_pitch, a_first, a_first + tile.m * a_pitch};
}

/// Shared memory of a block.
template <class T>
constexpr std::size_t ring_bytes(const ring_tile& tile) {
  return sizeof(T) * static_cast<std::size_t>(tile.stages * lay_out(tile).stage);
}

/// Index of the smallest tile that holds the problem's products, -1 where there is none or it does
/// not pay: products are larger, or in one direction less than half as large, rows of a or b cannot
/// be copied 16 bytes at a time, k has several chunks, or the multiprocessors have fewer than
/// ring_products each.
template <class T>
int choose_ring(const matmul_problem<T>& p, int multiprocessors, std::size_t block_shared) {
  if (p.kernel != matmul_kernel::automatic || p.k == 0 || p.k > matmul_chunk ||
      p.batch < index_t{multiprocessors} * ring_products)
    return -1;
  if (!detail::has_vectorizable_rows(p.a, p.batch, p.a_batch, p.m, p.a_row, p.k, p.a_column) ||
      !detail::has_vectorizable_rows(p.b, p.batch, p.b_batch, p.k, p.b_row, p.n, p.b_column))
    return -1;
  const index_t size = std::max(p.m, p.n);
  const auto candidates = ring_candidates<T>();
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    const ring_tile& tile = candidates[index].tile;
    if (size <= tile.least || size > tile.m) continue;
    const bool fits = ring_bytes<T>(tile) <= block_shared && 2 * std::min(p.m, p.n) >= tile.m;
    return fits ? static_cast<int>(index) : -1;
  }
  return -1;
}

/// Enqueues a problem for which choose_ring has a tile; otherwise does nothing and returns false.
/// No extent is 0. TANDEM_EXPLAIN=1 tells the kernel.
template <class T>
bool run_ring(const cuda& space, const matmul_problem<T>& problem);

}  // namespace tandem::cuda_impl
