// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: loops and transforms. None of it changes a result.
namespace tandem::openmp_impl {

/// A loop of fewer indices first runs on the calling thread, in pieces that end at 1, 8, 64, ..
/// indices. It forks once the time of the last piece shows that a team would finish the rest
/// sooner. A longer loop forks at once: even a triad gains from it.
inline constexpr index_t adaptive_indices = index_t{1} << 15;
inline constexpr index_t prefix_growth = 8;

/// The time of a piece is trusted if it is at least this fraction of a fork's time: on two cores,
/// reading the clock and a call take not much less. Pieces are hardly longer if a fork may be due.
/// The first indices run with cold caches: their time is trusted once it exceeds that of a whole
/// fork.
inline constexpr double trusted_piece_share = 0.25;
inline constexpr double max_piece_share = 0.3;
inline constexpr index_t cold_indices = 64;

/// Cache lines that a transform computes before it writes them by non-temporal stores.
inline constexpr index_t nontemporal_block_lines = 16;

/// Rows and columns of the blocks in which matrices of different layouts are transformed: with
/// elements of 8 bytes, the cache lines of two operands fit a 32 KiB L1.
inline constexpr index_t transform_block = 32;

}  // namespace tandem::openmp_impl
