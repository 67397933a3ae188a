// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend. None of it changes a result.
///
/// Measured with g++ 12 on 2 cores of a Zen 5 (a fork and join takes 0.5 us) and read off the
/// figures of 16 cores of a Xeon (3.6 us).
namespace tandem::openmp_impl {

/// A loop of fewer indices first runs on the calling thread, in pieces of 1, 8, 64, .. indices, and
/// forks only when it has taken longer than a fork and as much again is left: a short loop never
/// pays for threads, and a long one loses at most as much as a fork costs, whatever its function
/// costs. From here on even a triad gains by forking.
inline constexpr index_t probed_indices = index_t{1} << 15;
inline constexpr index_t probe_growth = 8;
inline constexpr double fork_seconds = 2e-6;

/// A reduction over memory forks from here on; one core reads 256 KiB from its L2 in 2 us.
inline constexpr std::size_t reduce_fork_bytes = std::size_t{256} << 10;

/// A reduction over a function of fewer indices is probed tile by tile.
inline constexpr index_t probed_terms = index_t{1} << 16;
/// Of still fewer, a tile is too coarse to share out expensive terms: they are computed as a
/// (probed) loop and folded then.
inline constexpr index_t buffered_terms = index_t{1} << 13;

/// Subtrees of a reduction for each thread. The last thread gets up to one more or less than the
/// others: 6 %.
inline constexpr index_t subtrees_per_thread = 16;

/// A scan forks from this many tiles of 4096 elements on.
inline constexpr index_t scan_fork_tiles = 8;
/// Tiles that a thread of a scan takes at a time: 4 x 4096 floats are 64 KiB, which stay in an L2
/// between two passes.
inline constexpr int scan_batch = 4;

/// A sort forks from this many keys on: a pass over 2^14 keys takes 20 us, and a key of 4 bytes has
/// four.
inline constexpr index_t sort_fork_keys = index_t{1} << 14;

/// A selection forks from this many elements on. Estimate: one core tests them in 10 to 20 us.
inline constexpr index_t select_fork_elements = index_t{1} << 15;

/// A copy or fill forks from here on: one core moves 256 KiB in its caches in 5 us.
inline constexpr std::size_t copy_fork_bytes = std::size_t{256} << 10;
/// A fill writes past the caches from here on, which saves reading what is overwritten.
inline constexpr std::size_t stream_bytes = std::size_t{8} << 20;

/// Blocks from here on are advised into huge pages and touched in parallel.
inline constexpr std::size_t huge_page_bytes = std::size_t{8} << 20;

/// A waiting thread gives its core away after this many looks (about 40 ns each), since with more
/// threads than cores the one it waits for may need it.
inline constexpr int spins_before_yield = 256;

}  // namespace tandem::openmp_impl
