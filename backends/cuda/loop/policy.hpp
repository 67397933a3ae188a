// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of loops on a GPU as data. Changes no result. Plain C++, so that a machine without a GPU
/// can test the selectors.
namespace tandem::cuda_impl {

/// Shape of the loop kernels. It is compiled into them, so all devices share one.
///
/// By Little's law, saturating memory requires bandwidth times latency bytes in flight. One float
/// per resident thread is too little from Hopper on, four are enough, and 16 bytes per thread are
/// best for every element type. A loop does not know the size of the elements that its function
/// object accesses, so it assumes 4-byte elements.
struct loop_policy {
  int block = 128;  ///< threads per block
  int items = 4;    ///< indices per thread; in a range, one block apart
};
inline constexpr loop_policy loops{};

/// Indices per thread in a large grid. They are one warp apart within a row and span several
/// adjacent rows, which share the loads of a stencil. More rows share more loads, but a loop that
/// updates a view in place loads one row at a time.
struct grid_policy {
  int items = 2;  ///< per row
  int rows = 2;
  /// A thread processes several rows only if each multiprocessor has this many times the threads
  /// that it needs for several indices. A smaller grid has too few threads to hide the latency of
  /// loading row by row.
  int row_threads = 8;
};
inline constexpr grid_policy grids{};

/// Shape of the kernel that transforms matrices of which some are column-major.
struct matrix_policy {
  int side = 32;      ///< of a tile: a warp reads a line of it, or a column
  int threads = 256;  ///< per block; each computes side * side / threads elements
  /// Narrower matrices are left to loops: even across its rows, all of a cache line is read soon.
  index_t least_side = 16;
};
inline constexpr matrix_policy matrix_tiles{};

/// Indices per block of a loop in which every thread takes several.
inline constexpr int loop_tile = loops.block * loops.items;

/// Indices per thread if the element size is known: 16 bytes' worth.
constexpr int items_per_thread(std::size_t element_bytes) {
  return element_bytes <= 4 ? loops.items : element_bytes <= 8 ? 2 : 1;
}

/// The size from which each thread processes several indices. A smaller loop finishes sooner if one
/// index per thread occupies all multiprocessors.
struct unroll_policy {
  index_t min_threads_per_sm;  ///< threads per multiprocessor, each with several indices
};

/// Estimates: a multiprocessor holds 1024 to 2048 threads, and from Hopper on it needs more of them
/// to saturate its bandwidth.
constexpr unroll_policy select_unroll(int compute_capability) {
  return compute_capability >= 90 ? unroll_policy{.min_threads_per_sm = 512}
                                  : unroll_policy{.min_threads_per_sm = 256};
}

/// Whether a loop over `indices` indices assigns several to each thread.
constexpr bool unrolls(index_t indices, int compute_capability, int multiprocessors) {
  return indices / loops.items >=
         select_unroll(compute_capability).min_threads_per_sm * multiprocessors;
}

/// Threads of a block along x (contiguous), y and z.
struct block_shape {
  int x = 1;
  int y = 1;
  int z = 1;
};

/// Maximum block size along z on every GPU (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr int max_block_z = 64;

/// Block shape for a grid of nx contiguous columns by ny rows by nz planes. It has 64 x 2 threads
/// if the grid has that many columns and rows; otherwise the threads go to the other dimensions.
///
/// Two warps side by side access longer pieces of a row than four stacked warps, and pad a short
/// row to at most 256 columns.
constexpr block_shape grid_block(index_t nx, index_t ny, index_t nz) {
  constexpr int columns = 2 * warp_threads;
  block_shape block;
  block.x = power_of_two_for(nx, columns);
  block.y = power_of_two_for(ny, loops.block / block.x);
  block.z = power_of_two_for(nz, loops.block / (block.x * block.y));
  if (block.z > max_block_z) block.z = max_block_z;
  block.x = power_of_two_for(nx, loops.block / (block.y * block.z));
  return block;
}

/// Columns of a grid that one launch processes, in blocks of `each`: kernels count them in 32 bits.
constexpr index_t columns_of_launch(int each) { return (index_t{1} << 31) / each * each; }

/// Whether a large grid of nx columns is flattened. It is if blocks that begin with each row would
/// leave too many threads idle. Wider grids are faster in tiles, which need no division and whose
/// threads may load several elements before they store.
constexpr bool is_narrow(index_t nx, index_t indices) {
  return nx < warp_threads * loops.items && indices < index_t{1} << 31;
}

}  // namespace tandem::cuda_impl
