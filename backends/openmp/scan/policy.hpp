// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/reducers/concept.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: scans. None of it changes a result.
namespace tandem::openmp_impl {

/// A scan of fewer tiles (of 4096 elements) stays on the calling thread.
inline constexpr index_t scan_fork_tiles = 8;

/// A scan of at most this many bytes of results per thread gives each thread one contiguous
/// partition, which it reads from its own caches when it writes.
inline constexpr std::size_t scan_share_bytes = std::size_t{4} << 20;

/// Threads of a longer scan take batches of at most this many bytes, which stay in an L2 until they
/// are written.
inline constexpr std::size_t scan_batch_bytes = std::size_t{64} << 10;

/// The most tiles of a batch, whose totals and prefixes are on the thread's stack.
template <class T>
inline constexpr int most_batch = detail::is_large<T> ? 1 : canonical::scan_radix;

/// Batches per thread below which a batch is one tile.
inline constexpr index_t scan_batches_per_thread = 4;

/// Terms that a thread of a reassociable scan writes at a time, starting from the end of its
/// partition: what it read last is still in its caches.
inline constexpr index_t scan_piece = index_t{1} << 14;

/// Up to this many tiles, each tile's total has its own cache line: threads publish neighbouring
/// totals at about the same time. With more tiles, lines are rarely contended.
inline constexpr index_t scan_spaced_tiles = 32;

}  // namespace tandem::openmp_impl
