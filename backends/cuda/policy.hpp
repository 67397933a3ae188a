// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning as data: how loops, copies and fills are laid over a GPU. Nothing here changes a result.
/// Plain C++, so that the selectors are tested on a machine without a GPU.
namespace tandem::cuda_impl {

/// Most threads of a block on every GPU that CUDA 13 supports (CUDA C++ Programming Guide, "Compute
/// Capabilities").
inline constexpr int most_block_threads = 1024;

/// Most blocks of one launch along x, and along y or z.
inline constexpr index_t most_blocks_x = 2147483647;
inline constexpr index_t most_blocks_yz = 65535;

/// Bytes of arguments that one kernel may take from CUDA 12.1 on.
inline constexpr std::size_t kernel_argument_bytes = 32764;

/// Threads of a warp.
inline constexpr int warp_threads = 32;

/// Shape of the loop kernels: part of their code, so one for all devices.
///
/// Little's law wants 21 KB in flight on each multiprocessor of an H200 (4.3 TB/s x 650 ns / 132);
/// 2048 threads with one float each are 8 KB, with four 32 KB. Triad at 2^27: 3.47 TB/s with one
/// index a thread, 4.37 with four.
struct loop_policy {
  int block = 256;
  int items = 4;  ///< indices of a thread: `block` apart in a range, a warp apart in a grid's row
};
inline constexpr loop_policy loops{};
inline constexpr int loop_tile = loops.block * loops.items;

/// From which size on a loop gives a thread several indices. A smaller one finishes sooner as more
/// blocks, on all multiprocessors, of one index a thread.
struct unroll_policy {
  index_t tiles_each;  ///< full tiles that every multiprocessor must get
};

/// Estimates. One tile occupies 256 of the 1024 to 2048 threads of a multiprocessor; GPUs from
/// Hopper on have the bandwidth to want two.
constexpr unroll_policy select_unroll(int compute_capability) {
  return compute_capability >= 90 ? unroll_policy{.tiles_each = 2} : unroll_policy{.tiles_each = 1};
}

/// Whether `indices` indices are worth several a thread.
constexpr bool unrolls(index_t indices, int compute_capability, int multiprocessors) {
  return indices / loop_tile >= select_unroll(compute_capability).tiles_each * multiprocessors;
}

/// Threads of a block along x (contiguous), y and z.
struct block_shape {
  int x = 1;
  int y = 1;
  int z = 1;
};

/// The smallest power of two that is at least n, or `most` if that is smaller (itself a power of
/// two).
constexpr int power_of_two_for(index_t n, int most) {
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/// Block of a grid of nx contiguous columns by ny rows by nz planes: 32 x 8 threads where the grid
/// has that many, else the threads go to the dimensions that can use them.
constexpr block_shape grid_block(index_t nx, index_t ny, index_t nz) {
  constexpr int rows = loops.block / warp_threads;
  block_shape block;
  block.x = power_of_two_for(nx, warp_threads);
  block.y = power_of_two_for(ny, loops.block / block.x);
  if (block.x == warp_threads && block.y > rows) block.y = rows;
  block.z = power_of_two_for(nz, loops.block / (block.x * block.y));
  if (block.z > 64) block.z = 64;  // the most along z
  block.x = power_of_two_for(nx, loops.block / (block.y * block.z));
  return block;
}

/// How strided elements move.
struct copy_policy {
  std::size_t
      pitched_row_bytes;  ///< shorter rows are packed on one side rather than copied row by row
};

/// Estimates: the copy engine handles each row by itself, at some 100 million a second; 512 bytes a
/// row then fill the 55 GB/s of an H200's link, 256 bytes the 25 GB/s of a link of the generation
/// before.
constexpr copy_policy select_copy(int compute_capability) {
  return compute_capability >= 90 ? copy_policy{.pitched_row_bytes = 512}
                                  : copy_policy{.pitched_row_bytes = 256};
}

}  // namespace tandem::cuda_impl
