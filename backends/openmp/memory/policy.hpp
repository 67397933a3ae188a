// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: copies and fills. None of it changes a result.
namespace tandem::openmp_impl {

/// A copy or fill of fewer bytes stays on the calling thread: one core moves them in its caches in
/// about the time of a fork.
inline constexpr std::size_t copy_fork_bytes = std::size_t{256} << 10;

/// Bytes per thread above which threads of a copy or fill steal work, in pieces of
/// copy_piece_bytes. What fits a core's L2 is better left there.
inline constexpr index_t copy_stealing_bytes = index_t{1} << 20;
inline constexpr index_t copy_piece_bytes = index_t{128} << 10;

/// Blocks per thread into which a strided copy is divided if its rows permit, so that threads have
/// about equal parts, and the bytes of a row that a block has at least.
inline constexpr index_t copy_blocks_per_thread = 8;
inline constexpr index_t copy_block_bytes = 4096;

/// A transposing copy uses non-temporal stores if it moves more than the last-level caches divided
/// by this: the lines that it writes are too far apart for hardware prefetchers, so that a plain
/// store waits for its line even if a cache has it.
inline constexpr std::size_t transpose_cache_factor = 2;

}  // namespace tandem::openmp_impl
