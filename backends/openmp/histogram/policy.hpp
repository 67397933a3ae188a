// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: histograms. None of it changes a result.
namespace tandem::openmp_impl {

/// Values of a block. A block with an uncertain estimate is compared with edges as a whole, so that
/// larger blocks are compared more often.
inline constexpr int histogram_block = 256;

/// Copies of each private bin, where there are few. Equal neighbours go to different copies, so
/// that a count does not wait for the store of the one before.
inline constexpr int histogram_copies = 4;

/// Prefetch distance in values. Counts fill the processor's out-of-order window, the more so the
/// farther away the bins are, which leaves no room for loads of later values.
inline constexpr int histogram_prefetch_values = 1024;

/// Bins up to which a thread's copies stay in an L1 of 48 KiB, with the block.
inline constexpr index_t histogram_copied_bins = 2048;
/// Words between copies, whatever the number of bins: not a multiple of 4 KiB, so that equal bins
/// of neighbouring values do not alias in the low bits of their addresses.
inline constexpr index_t histogram_copy_pitch = histogram_copied_bins + 32;

/// Bins from which 32-bit integers are counted in bytes: a thread's words exceed its L1.
inline constexpr index_t histogram_byte_bins = 16384;

/// Values per thread from which counting pairs pays for clearing and adding up the cells.
inline constexpr index_t histogram_pair_values = index_t{1} << 14;

/// Elements of a piece under work stealing: the last thread to finish delays the others by at most
/// one.
inline constexpr index_t histogram_piece = index_t{1} << 15;
/// Pieces per thread from which work is stolen; fewer elements stay in the cache of the thread that
/// has them in every loop.
inline constexpr index_t histogram_pieces = 32;

/// Words of private bins per thread from which threads share their merging.
inline constexpr index_t histogram_merged_words = index_t{1} << 15;

/// Values that are examined together before any is counted.
inline constexpr int histogram_run = 64;
/// Values of a run that are counted with one addition where all are equal.
inline constexpr int histogram_stretch = 16;

/// Bins up to which values are counted two at a time: a processor stores about one count per cycle,
/// whether of one value or of two.
inline constexpr int histogram_pair_bins = 256;
/// Rows of the cells of unordered pairs {base, base + distance}, modulo 256: one of the two
/// distances is at most 128. One cell per base and distance takes 33 KiB, which stay in L1; the 64
/// KiB of ordered pairs would not.
inline constexpr int histogram_pair_rows = 129;
inline constexpr int histogram_pair_cells = histogram_pair_rows * histogram_pair_bins;

/// Pairs whose cells are computed before any is counted: a cell is stored as part of a vector and
/// loaded alone, which store forwarding does not support.
inline constexpr int histogram_pairs = 128;
inline constexpr int histogram_paired = 2 * histogram_pairs;

}  // namespace tandem::openmp_impl
