// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

/// The tiles from which a plan chooses for batches of small products: several products per block,
/// or panels of one product after another. Such batches are memory-bound.
namespace tandem::cuda_impl {

/// How a block of matmul_batched_kernel partitions products of at most size x size elements of c.
/// Each thread computes a rectangle of rows x columns elements. Operands are copied `depth` terms
/// at a time, `stages` - 1 ahead.
///
/// Without panels, a team of (size / rows) x (size / columns) threads computes a product, and the
/// block holds as many teams as fit into its threads. With panels, which are a power of 2 of
/// columns wide, the block computes one product after another, panel by panel, and a warp computes
/// 8 x 4 rectangles. Memory then stays busy while a product is multiplied and written.
struct batched_tile {
  int size;
  int rows;
  int columns;
  int threads;
  int min_blocks_per_sm;  ///< limits the registers per thread
  int depth;
  int stages;  ///< 1: a block computes its products and exits; other blocks keep memory busy
  bool tensor = false;  ///< fp64: tensor cores compute a warp's 8 x 4 rectangles if available
  int panel = 0;        ///< columns per panel; 0: no panels
  int least = 0;        ///< panels: products up to this size use other tiles

  TANDEM_FUNCTION constexpr int row_groups() const { return size / rows; }
  TANDEM_FUNCTION constexpr int team() const { return row_groups() * (size / columns); }
  /// Products per block without panels.
  TANDEM_FUNCTION constexpr int products() const { return threads / team(); }
  /// Panels per product, and warps along a panel's columns.
  TANDEM_FUNCTION constexpr int panels() const { return size / panel; }
  TANDEM_FUNCTION constexpr int panel_warps() const { return panel / (4 * columns); }
};

/// A tile that a plan may choose.
struct batched_candidate {
  const char* name;
  batched_tile tile;
};

/// Selected by measurement (docs/matmul.md). Tiles without panels come first, smallest first.
// clang-format off
//                           size rows columns threads blocks depth stages tensor panel least
inline constexpr batched_candidate batched_f32[] = {
    {"matmul f32 batched 4x4",   { 4,  2,    4,    128,   10,    32,     1}},
    {"matmul f32 batched 8x8",   { 8,  4,    4,     64,   14,    32,     1}},
    {"matmul f32 batched 16x16", {16,  4,    4,     64,   12,    32,     2}},
    {"matmul f32 batched 32x32", {32,  4,    4,    128,    6,    32,     2}},
    {"matmul f32 batched 64x64", {64,  8,    4,    128,    4,    64,     2}},
    {"matmul f32 panels 48x48",  {48,  6,   12,     32,   10,    16,     3,   false,  48,  32}},
    {"matmul f32 panels 64x64",  {64,  8,   16,     32,    8,    16,     3,   false,  64,  48}},
    {"matmul f32 panels 96x96",  {96,  6,   12,    128,    3,    32,     2,   false,  96,  64}},
};
inline constexpr batched_candidate batched_f64[] = {
    {"matmul f64 batched 4x4",   { 4,  1,    2,    128,   10,    32,     2}},
    {"matmul f64 batched 8x8",   { 8,  2,    2,    128,    8,    32,     2}},
    {"matmul f64 batched 16x16", {16,  4,    2,    128,    6,    32,     2}},
    {"matmul f64 batched 32x32", {32,  4,    8,     32,   12,    32,     1,   true}},
    {"matmul f64 batched 48x48", {48,  6,    6,     64,    5,    64,     1,   true}},
    {"matmul f64 batched 64x64", {64,  4,    8,    128,    3,    64,     1,   true}},
    {"matmul f64 panels 96x48",  {96,  6,    6,    128,    3,    16,     3,   true,   48,  64}},
};
// clang-format on

/// Minimum products per multiprocessor for panels; with fewer, more threads per product are faster.
inline constexpr int panel_products = 4;

/// The tiles for elements of type T.
template <class T>
constexpr std::span<const batched_candidate> batched_candidates() {
  if constexpr (std::is_same_v<T, float>) {
    return batched_f32;
  } else {
    return batched_f64;
  }
}

/// The tile in the form that kernels take it: nvcc 13.0 cannot compile kernels with a template
/// argument of class type.
template <class T, int Index>
inline constexpr batched_tile batched_tile_of =
    std::is_same_v<T, float> ? batched_f32[Index].tile : batched_f64[Index].tile;

/// The layout of a block's operands in shared memory, in elements: rows of a along k, rows of b
/// along n. All sizes are multiples of 16 bytes.
///
/// For tensor cores, both pitches are 4 more than a multiple of 8, so that the 4 rows x 4 terms
/// that half a warp reads are in different banks. Otherwise 8 lanes read a few rows of a at one
/// term. If the product is as large as the tile, they are in different banks without padding. If
/// not, padding makes the pitch an odd multiple of 16 bytes.
struct batched_layout {
  int depth = 0;  ///< terms per stage
  int a_pitch = 0;
  int b_pitch = 0;
  int a_elements = 0;  ///< per product; 0 between products if broadcast
  int b_elements = 0;
  int b_first = 0;
  int stage = 0;
};

/// @param dense  whether a is copied as it is in memory, without padding
template <class T>
constexpr batched_layout lay_out(const matmul_problem<T>& p, const batched_tile& tile, bool dense) {
  constexpr auto width = static_cast<int>(vector_width<T>);
  const auto units = [](int x, int unit) { return (x + unit - 1) / unit; };
  batched_layout s;
  s.depth = static_cast<int>(std::min<index_t>(p.k, tile.depth));
  const int columns = static_cast<int>(p.n);
  const int a_units = units(s.depth, width);
  s.a_pitch = tile.tensor ? units(s.depth, 8) * 8 + 4 : (dense ? a_units : a_units | 1) * width;
  s.b_pitch = tile.tensor ? units(columns, 8) * 8 + 4 : units(columns, width) * width;
  s.a_elements = static_cast<int>(p.m) * s.a_pitch;
  s.b_elements = s.depth * s.b_pitch;
  s.b_first = s.a_elements * (p.a_batch == 0 ? 1 : tile.products());
  s.stage = s.b_first + s.b_elements * (p.b_batch == 0 ? 1 : tile.products());
  return s;
}

/// Shared memory per block.
template <class T>
constexpr std::size_t batched_bytes(const batched_layout& layout, const batched_tile& tile) {
  const auto stages = static_cast<std::size_t>(tile.stages);
  return stages * (sizeof(T) * static_cast<std::size_t>(layout.stage) + 8);  // 8: a barrier
}

/// The layout of a panel's stage in shared memory, in elements: a slice of b with rows along n,
/// followed by one of a with rows along k. The pitches are those of whole tiles, so that addresses
/// are compile-time constants. Padding of 4 elements per row of a and, for tensor cores, per row of
/// b puts what a warp reads together in different banks. A thread that has run out of terms reads
/// the last 4 elements of a and the first row of a, which follows b.
struct panel_layout {
  int a_pitch;
  int b_pitch;
  int a_first;
  int stage;
};

TANDEM_FUNCTION constexpr panel_layout lay_out_panel(const batched_tile& tile) {
  const int a_pitch = tile.depth + 4;
  const int b_pitch = tile.panel + (tile.tensor ? 4 : 0);
  const int a_first = tile.depth * b_pitch;
  return {a_pitch, b_pitch, a_first, a_first + tile.size * a_pitch};
}

/// Shared memory per block with panels.
template <class T>
constexpr std::size_t panel_bytes(const batched_tile& tile) {
  return sizeof(T) * static_cast<std::size_t>(tile.stages * lay_out_panel(tile).stage);
}

/// Blocks per multiprocessor, at most `most`, if each has `bytes` of shared memory and a single one
/// could have `block_shared`.
constexpr index_t blocks_per_sm(std::size_t block_shared, std::size_t bytes, int most) {
  // A multiprocessor has 1 KiB more than a block may use, and reserves that much per block.
  const auto fitting = static_cast<index_t>((block_shared + 1024) / (bytes + 1024));
  return std::min<index_t>(fitting, most);
}

}  // namespace tandem::cuda_impl
