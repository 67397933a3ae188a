// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of histograms on a GPU as data. Changes no result. It is the same on all devices; the
/// plan adapts to their multiprocessors and shared memory.
namespace tandem::cuda_impl {

/// Threads per block. A multiprocessor runs one such block, so there are few bins to merge.
inline constexpr int histogram_block = 1024;
/// Registers per thread: all that a block of 1024 threads can have.
inline constexpr int histogram_registers = 64;
/// 16-byte loads in flight per thread. With 1024 threads this is 64 KiB per multiprocessor, more
/// than its fraction of the bandwidth requires, because counting takes time between loads.
inline constexpr int histogram_loads = 4;

/// Copies of a block's bins. With one per lane, no two lanes of a warp conflict in a bank.
inline constexpr unsigned max_bin_copies = 32;
/// Elements per block for each word of its copies, which have to be cleared and merged.
inline constexpr index_t elements_per_bin_word = 4;
/// Maximum passes over the data; with more, atomics on global memory are faster.
inline constexpr int max_bin_slices = 6;
/// Bytes of x per thread from which another block justifies its merge.
inline constexpr int histogram_thread_bytes = 32;

/// Most slots for a block's hot bins, and the number of values from which they pay off.
inline constexpr unsigned max_hot_slots = 8192;
inline constexpr index_t hot_bins_min_size = index_t{1} << 22;

/// One weight in this many is sampled to guess the scale, with at least `min_weight_sample` per
/// thread.
inline constexpr index_t weight_sample_ratio = 128;
inline constexpr index_t min_weight_sample = 8;

/// Small weights of a bin in global memory that are counted; with more, all may be small.
inline constexpr unsigned max_counted_small = 4096;
/// Weights, and bins, per chunk of a sum that is formed again.
inline constexpr index_t sum_again_chunk = index_t{4} * histogram_block;

/// Cells of an edge table per bin. One value in eight then has an edge in its cell, and one in 150
/// has several.
inline constexpr index_t edge_cells_per_bin = 8;
inline constexpr std::size_t min_edge_cells = 256;
inline constexpr std::size_t max_edge_cell_bytes = 64 * 1024;

/// Bytes of shared memory that the kernels declare statically, rounded up generously.
inline constexpr std::size_t histogram_static_shared = 256;

/// Bins of a block that sums weights. It has one bit per bin in 4 KiB of static shared memory.
inline constexpr unsigned max_sum_bins = 32 * 1024;

}  // namespace tandem::cuda_impl
