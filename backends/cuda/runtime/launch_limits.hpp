// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning as data: how loops, copies and fills are laid over a GPU. Nothing here changes a result.
/// Plain C++, so that the selectors are tested on a machine without a GPU.
namespace tandem::cuda_impl {

/// Most threads of a block on every GPU that CUDA 13 supports (CUDA C++ Programming Guide, "Compute
/// Capabilities").
inline constexpr int max_block_threads = 1024;

/// Most blocks of one launch along x, and along y or z.
inline constexpr index_t max_grid_x = 2147483647;
inline constexpr index_t max_grid_yz = 65535;

/// Bytes of arguments that one kernel may take from CUDA 12.1 on.
inline constexpr std::size_t kernel_argument_bytes = 32764;

/// Threads of a warp.
inline constexpr int warp_threads = 32;

/// Whether a device runs code in which griddepcontrol is an instruction rather than nothing, as
/// programmatic dependent launch requires: only code for sm_90 and later waits.
///
/// compiled            architectures as nvcc's __CUDA_ARCH_LIST__ lists them: 800, 900, ..
/// compute_capability  of the device
///
/// A device runs machine code of its own major version where there is some, and otherwise compiles
/// the newest PTX that it can read: that of sm_80, which does not wait, unless newer PTX was kept.
/// The list does not tell which architectures were kept as PTX.
template <std::size_t Count>
constexpr bool has_dependent_launch(const int (&compiled)[Count], int compute_capability) {
  bool own = false;
  bool all = true;
  for (const int architecture : compiled) {
    own |= architecture >= 900 && architecture / 100 == compute_capability / 10 &&
           architecture / 10 <= compute_capability;
    all &= architecture >= 900;
  }
  return compute_capability >= 90 && (own || all);
}

/// Shape of the loop kernels: part of their code, so one for all devices.
///
/// Little's law wants 21 KB in flight on each multiprocessor of an H200 (4.3 TB/s x 650 ns / 132);
/// 2048 threads with one float each are 8 KB, with four 32 KB. What is best beyond that is 4 KB of
/// each array a block, 16 bytes a thread. Microseconds of a copy of 2^27 elements there, with
/// `block` x `items`:
///
///        256 x 1  256 x 2  128 x 4  256 x 4  256 x 8   float4 or double2, 256 x 1
///   f32      403      284      254      255      265                           254
///   f64      553      504      508      516      519                           504
///
/// A loop does not know how large the elements are that its function object reads, so it takes
/// 128 x 4, which is 1 % from the best for 8 bytes and the best for 4.
struct loop_policy {
  int block = 128;
  int items = 4;  ///< indices of a thread: `block` apart in a range, a warp apart in a grid's row
};
inline constexpr loop_policy loops{};
inline constexpr int loop_tile = loops.block * loops.items;

/// Indices of a thread where it is known how many bytes an element has: 16 bytes of them.
constexpr int items_per_thread(std::size_t element_bytes) {
  return element_bytes <= 4 ? loops.items : element_bytes <= 8 ? 2 : 1;
}

/// From which size on a loop gives a thread several indices. A smaller one finishes sooner as more
/// blocks, on all multiprocessors, of one index a thread.
struct unroll_policy {
  index_t min_threads_per_sm;  ///< threads with several indices that every multiprocessor must get
};

/// Estimates. A multiprocessor runs 1024 to 2048 threads at once; GPUs from Hopper on have the
/// bandwidth to want more of them.
constexpr unroll_policy select_unroll(int compute_capability) {
  return compute_capability >= 90 ? unroll_policy{.min_threads_per_sm = 512}
                                  : unroll_policy{.min_threads_per_sm = 256};
}

/// Whether `indices` indices are worth several a thread.
constexpr bool unrolls(index_t indices, int compute_capability, int multiprocessors) {
  return indices / loops.items >=
         select_unroll(compute_capability).min_threads_per_sm * multiprocessors;
}

/// Division by a number that is the same for all threads, as a product: quotients of numbers below
/// 2^31. (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.)
struct fast_divisor {
  unsigned multiplier = 1u << 31;  ///< ceil(2^shift / divisor)
  int shift = 31;

  TANDEM_FUNCTION constexpr unsigned quotient(unsigned number) const {
    return static_cast<unsigned>((static_cast<unsigned long long>(number) * multiplier) >> shift);
  }
};

/// `divisor` is 1 to 2^31 - 1. With 2^(l - 1) < divisor <= 2^l and a shift of 31 + l the multiplier
/// is too large by less than 2^l / 2^(31 + l), too little to reach the next quotient.
constexpr fast_divisor divide_by(unsigned divisor) {
  fast_divisor by;
  int l = 0;
  while ((1ull << l) < divisor) ++l;
  by.shift = 31 + l;
  by.multiplier = static_cast<unsigned>(((1ull << by.shift) + divisor - 1) / divisor);
  return by;
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

/// Block of a grid of nx contiguous columns by ny rows by nz planes: 64 x 2 threads where the grid
/// has that many, else the threads go to the dimensions that can use them.
///
/// Two warps side by side: rows of 1000 floats then take 4.87 us a million, with four warps one
/// below the other 4.96, and rows of 200 are not padded to more than the 256 of a block.
constexpr block_shape grid_block(index_t nx, index_t ny, index_t nz) {
  constexpr int columns = 2 * warp_threads;
  block_shape block;
  block.x = power_of_two_for(nx, columns);
  block.y = power_of_two_for(ny, loops.block / block.x);
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
