// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: scans. None of it changes a result.
namespace tandem::openmp_impl {

/// A scan forks from this many tiles of 4096 elements on.
inline constexpr index_t scan_fork_tiles = 8;

/// A scan of at most this many bytes of results a thread gives each thread one share; two cores
/// with L2s of 1 MiB then take 160 us for 2^20 integers of 8 bytes, where batches take 190.
inline constexpr std::size_t scan_share_bytes = std::size_t{4} << 20;

/// Else threads take batches of at most this, which stay in an L2 until they are written.
inline constexpr std::size_t scan_batch_bytes = std::size_t{64} << 10;

/// Batches that each thread gets at least before they grow beyond one tile.
inline constexpr index_t scan_batches_per_thread = 4;

/// Terms that a thread writes at a time, where any order is right. 14 threads, 2^21 integers of 8
/// bytes: 107 us, 117 in one piece each; two cores write whole shares as fast.
inline constexpr index_t scan_piece = index_t{1} << 14;

/// Up to so many tiles, what threads tell each other of one has a line of its own. 14 threads, 2^16
/// integers: 6.7 us, 8.5 with neighbours in one line; 2^20, 256 tiles: 49.8, 49.2.
inline constexpr index_t scan_spaced_tiles = 32;

}  // namespace tandem::openmp_impl
