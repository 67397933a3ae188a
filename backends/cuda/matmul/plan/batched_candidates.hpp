// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/candidates.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

/// The tiles among which a plan chooses for batches of small products: several products per block,
/// or panels of one product after another. Such batches are bound by memory.
namespace tandem::cuda_impl {

/// How a block of matmul_batched_kernel cuts products of at most size x size elements of c.
///
/// A team of (size / rows) x (size / columns) threads computes a product, each of them a rectangle
/// of rows x columns elements; the block holds as many teams as it has threads for. Operands are
/// copied `depth` terms at a time, `stages` - 1 ahead.
struct batched_tile {
  int size;
  int rows;
  int columns;
  int threads;
  int min_blocks_per_sm;  ///< bounds the registers per thread
  int depth;
  int stages;  ///< 1: a block computes its products and ends, other blocks keep the memory busy
  bool tensor =
      false;  ///< fp64: a warp's tensor cores compute 8 x 4 such rectangles where there are any

  TANDEM_FUNCTION constexpr int row_groups() const { return size / rows; }
  TANDEM_FUNCTION constexpr int team() const { return row_groups() * (size / columns); }
  /// Products of a block.
  TANDEM_FUNCTION constexpr int products() const { return threads / team(); }
};

/// A tile that may be chosen.
struct batched_candidate {
  const char* name;
  batched_tile tile;
};

/// Chosen among others by measurement (docs/matmul.md).
// clang-format off
//                                                 size rows columns threads resident depth stages
inline constexpr batched_candidate batched_f32[] = {
    {"matmul f32 batched 4x4",   { 4,  2,    4,    128,     10,    32,     1}},
    {"matmul f32 batched 8x8",   { 8,  4,    4,     64,     14,    32,     1}},
    {"matmul f32 batched 16x16", {16,  4,    4,     64,     12,    32,     2}},
    {"matmul f32 batched 32x32", {32,  4,    4,    128,      6,    32,     2}},
    {"matmul f32 batched 64x64", {64,  8,    4,    128,      4,    64,     2}},
};
inline constexpr batched_candidate batched_f64[] = {
    {"matmul f64 batched 4x4",   { 4,  1,    2,    128,     10,    32,     2}},
    {"matmul f64 batched 8x8",   { 8,  2,    2,    128,      8,    32,     2}},
    {"matmul f64 batched 16x16", {16,  4,    2,    128,      6,    32,     2}},
    {"matmul f64 batched 32x32", {32,  4,    8,     32,     12,    32,     1,   true}},
    {"matmul f64 batched 48x48", {48,  6,    6,     64,      5,    64,     1,   true}},
    {"matmul f64 batched 64x64", {64,  4,    8,    128,      3,    64,     1,   true}},
};
// clang-format on

/// The tiles for elements of type T, smallest first.
template <class T>
constexpr std::span<const batched_candidate> batched_candidates() {
  if constexpr (std::is_same_v<T, float>) {
    return batched_f32;
  } else {
    return batched_f64;
  }
}

/// The tile as kernels take it: nvcc 13.0 cannot compile kernels with a template argument of class
/// type.
template <class T, int Index>
inline constexpr batched_tile batched_tile_of =
    std::is_same_v<T, float> ? batched_f32[Index].tile : batched_f64[Index].tile;

/// How the operands of a block's products lie in shared memory, in elements: rows of a along k,
/// rows of b along n. All of it is a multiple of 16 bytes.
///
/// For the tensor cores both pitches are 4 more than a multiple of 8: the 4 rows x 4 terms that
/// half a warp reads are then in different banks. Otherwise 8 lanes read a few rows of a at one
/// term, which are in different banks without a gap if the product is as large as the tile, and
/// with one that makes the pitch an odd number of 16 bytes anyway.
struct batched_layout {
  int depth = 0;  ///< terms of a stage
  int a_pitch = 0;
  int b_pitch = 0;
  int a_elements = 0;  ///< of one product; 0 from product to product when broadcast
  int b_elements = 0;
  int b_first = 0;
  int stage = 0;
};

/// @param dense  whether a comes as it lies in memory, without gaps
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

/// Shared memory of a block.
template <class T>
constexpr std::size_t batched_bytes(const batched_layout& layout, const batched_tile& tile) {
  const auto stages = static_cast<std::size_t>(tile.stages);
  return stages * (sizeof(T) * static_cast<std::size_t>(layout.stage) + 8);  // 8: a barrier
}

/// How a block of matmul_panels_kernel cuts products of at most m x m elements: in panels of
/// n columns, a power of 2 of them. A warp computes 8 x 4 rectangles of rows x columns elements, a
/// lane's each. Operands are copied `depth` terms at a time, `stages` - 1 ahead.
struct panel_tile {
  int m;
  int n;
  int rows;
  int columns;
  int min_blocks_per_sm;  ///< bounds the registers per thread
  int depth;
  int stages;
  int least;            ///< products of up to that size go elsewhere
  bool tensor = false;  ///< fp64: by tensor cores where there are any

  TANDEM_FUNCTION constexpr int panels() const { return m / n; }
  TANDEM_FUNCTION constexpr int warps_n() const { return n / (4 * columns); }
  TANDEM_FUNCTION constexpr int threads() const { return 32 * (m / (8 * rows)) * warps_n(); }
};

/// A tile that may be chosen.
struct panel_candidate {
  const char* name;
  panel_tile tile;
};

/// Chosen among others by measurement (docs/matmul.md).
// clang-format off
//                                                m    n  rows columns resident depth stages least
inline constexpr panel_candidate panel_f32[] = {
    {"matmul f32 panels 48x48",    { 48,  48,  6,   12,     10,    16,     3,   32}},
    {"matmul f32 panels 64x64",    { 64,  64,  8,   16,      8,    16,     3,   48}},
    {"matmul f32 panels 96x96",    { 96,  96,  6,   12,      3,    32,     2,   64}},
};
inline constexpr panel_candidate panel_f64[] = {
    {"matmul f64 panels 96x48",    { 96,  48,  6,    6,      3,    16,     3,   64,  true}},
};
// clang-format on

/// Products that each multiprocessor must have for panels to pay; with fewer, more threads per
/// product are faster.
inline constexpr int panel_products = 4;

/// The tiles for elements of type T, smallest first.
template <class T>
constexpr std::span<const panel_candidate> panel_candidates() {
  if constexpr (std::is_same_v<T, float>) {
    return panel_f32;
  } else {
    return panel_f64;
  }
}

/// How a stage lies in shared memory, in elements: a slice of b, rows along n, and behind it one of
/// a, rows along k. The pitches are those of whole tiles, so that addresses are known to the
/// compiler; with 4 elements more than a row of a has, and a row of b for the tensor cores, what a
/// warp reads at a time is in different banks. a's last 4 and the first row of a behind b are what
/// a thread reads that has no more terms to read.
struct panel_layout {
  int a_pitch;
  int b_pitch;
  int a_first;
  int stage;
};

TANDEM_FUNCTION constexpr panel_layout lay_out(const panel_tile& tile) {
  const int a_pitch = tile.depth + 4;
  const int b_pitch = tile.n + (tile.tensor ? 4 : 0);
  const int a_first = tile.depth * b_pitch;
  return {a_pitch, b_pitch, a_first, a_first + tile.m * a_pitch};
}

/// Shared memory of a block.
template <class T>
constexpr std::size_t panel_bytes(const panel_tile& tile) {
  return sizeof(T) * static_cast<std::size_t>(tile.stages * lay_out(tile).stage);
}

/// Blocks that share a multiprocessor, each with `bytes` of the `block_shared` that one alone may
/// have: `most` at the most.
constexpr index_t blocks_per_sm(std::size_t block_shared, std::size_t bytes, int most) {
  // A multiprocessor has 1 KiB more than a block may use, and takes as much for each block.
  const auto fitting = static_cast<index_t>((block_shared + 1024) / (bytes + 1024));
  return std::min<index_t>(fitting, most);
}

}  // namespace tandem::cuda_impl
