// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: histograms. None of it changes a result.
namespace tandem::openmp_impl {

/// Values per block. If one estimate is uncertain, the whole block is compared with edges, so
/// larger blocks are compared more often.
inline constexpr int histogram_block = 256;

/// Copies of each private bin, if there are few bins. Equal neighbours go to different copies, so
/// that a count does not wait for the previous store.
inline constexpr int histogram_copies = 4;

/// Prefetch distance in values. Counts fill the processor's out-of-order window, especially if the
/// bins are far away, and leave no room for loads of later values.
inline constexpr int histogram_prefetch_values = 1024;

/// Most bins for which a thread's copies stay in an L1 of 48 KiB, together with the block.
inline constexpr index_t histogram_copied_bins = 2048;
/// Words between copies, whatever the number of bins. Not a multiple of 4 KiB, so that the
/// addresses of equal bins of neighbouring values do not alias in their low bits.
inline constexpr index_t histogram_copy_pitch = histogram_copied_bins + 32;

/// Fewest bins for which 32-bit integers are counted in bytes: a thread's words would exceed its
/// L1.
inline constexpr index_t histogram_byte_bins = 16384;

/// Fewest values per thread for which counting pairs pays for clearing and adding the cells.
inline constexpr index_t histogram_pair_values = index_t{1} << 14;

/// Elements per piece under work stealing: the last thread to finish delays the others by at most
/// one piece.
inline constexpr index_t histogram_piece = index_t{1} << 15;
/// Pieces per thread above which threads steal work; fewer elements stay in the cache of the thread
/// that has them in every loop.
inline constexpr index_t histogram_pieces = 32;

/// Words of private bins per thread above which threads share the merge.
inline constexpr index_t histogram_merged_words = index_t{1} << 15;

/// Values that are examined together before any is counted.
inline constexpr int histogram_run = 64;
/// Values of a run that are counted by one addition if all are equal.
inline constexpr int histogram_stretch = 16;

/// Most bins for which values are counted two at a time: a processor stores about one count per
/// cycle, whether it counts one value or two.
inline constexpr int histogram_pair_bins = 256;
/// Rows of the cells of unordered pairs {base, base + distance}, modulo 256: one of the two
/// distances is at most 128. One cell per base and distance takes 33 KiB, which fit the L1; the 64
/// KiB of ordered pairs would not.
inline constexpr int histogram_pair_rows = 129;
inline constexpr int histogram_pair_cells = histogram_pair_rows * histogram_pair_bins;

/// Pairs whose cells are computed before any is counted: a cell is stored as part of a vector and
/// loaded alone, which store forwarding does not support.
inline constexpr int histogram_pairs = 128;
inline constexpr int histogram_paired = 2 * histogram_pairs;

}  // namespace tandem::openmp_impl
