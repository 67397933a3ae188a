// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: reductions. None of it changes a result.
namespace tandem::openmp_impl {

/// A reduction over memory forks from here on; one core reads 256 KiB from its L2 in 2 us.
inline constexpr std::size_t reduce_fork_bytes = std::size_t{256} << 10;

/// A reduction over a function of fewer indices is probed tile by tile.
inline constexpr index_t adaptive_terms = index_t{1} << 16;

/// Of still fewer, a tile is too coarse to share out expensive terms: those of the first tile are
/// timed, and where they are expensive all are computed by a loop and folded then.
inline constexpr index_t buffered_terms = index_t{1} << 13;

/// Subtrees of a reduction for each thread. The last thread gets up to one more or less than the
/// others: 6 %.
inline constexpr index_t subtrees_per_thread = 16;

/// From here on threads of a reduction that have finished help the others, subtree by subtree.
/// Memory is then beyond the caches, where it does not matter who reads what.
inline constexpr index_t balanced_terms = index_t{1} << 22;

}  // namespace tandem::openmp_impl
