// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: loops and transforms. None of it changes a result.
namespace tandem::openmp_impl {

/// A loop of fewer indices first runs on the calling thread, in pieces that end at 1, 8, 64, ..
/// indices, and forks when the last piece says that the rest is done sooner by all threads. From
/// here on even a triad gains by forking: 2^15 floats take one core 3 us.
inline constexpr index_t adaptive_indices = index_t{1} << 15;
inline constexpr index_t prefix_growth = 8;

/// That is believed of a piece that took this share of a fork's time: a look at the clock and a
/// call are a fifth of it on two cores. Pieces take little more where that is in question. The
/// first indices meet cold caches, and are believed only after the time of a whole fork.
inline constexpr double trusted_piece_share = 0.25;
inline constexpr double max_piece_share = 0.3;
inline constexpr index_t cold_indices = 64;

/// Lines of 64 bytes that a transform computes before it moves them past the caches. Triad of 2^24
/// floats, 2 threads, against the plain loop: 4 lines 1.28, 8 1.22, 16 1.30, 32 1.20, 16 without
/// prefetches 1.08.
inline constexpr index_t nontemporal_block_lines = 16;

}  // namespace tandem::openmp_impl
