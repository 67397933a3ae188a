// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: reductions. None of it changes a result.
namespace tandem::openmp_impl {

/// Fewest bytes of memory for which a reduction forks at once: a core reads fewer from its L2 in
/// about the time of a fork.
inline constexpr std::size_t reduce_fork_bytes = std::size_t{256} << 10;

/// A reduction over a function of fewer indices forks only after it has timed some tiles.
inline constexpr index_t adaptive_terms = index_t{1} << 16;

/// If there are still fewer indices, a tile is too coarse to divide expensive terms among threads:
/// the terms of the first tile are timed one by one, and if they are expensive, a loop computes all
/// of them before they are reduced.
inline constexpr index_t buffered_terms = index_t{1} << 13;

/// Subtrees of a reduction per thread: no thread gets more than 1/16 above its even share.
inline constexpr index_t subtrees_per_thread = 16;

/// From rows of at least this many times the lanes, a tile's lanes take single numbers as they are
/// computed: each row begins and ends with a part of them, whose loop is too short for vectors.
inline constexpr index_t long_row_lanes = 6;

/// Threads of a longer reduction steal subtrees. Its terms exceed the caches, so it does not matter
/// which core reads them.
inline constexpr index_t balanced_terms = index_t{1} << 22;

}  // namespace tandem::openmp_impl
