// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: reductions along an axis. None of it changes a result.
namespace tandem::openmp_impl {

/// The most tiles of columns that are reduced together. Their totals wait in a tree on the thread's
/// stack: 5 rows of 2 KiB.
inline constexpr int column_levels = 5;
inline constexpr index_t most_column_tiles = index_t{1} << (column_levels - 1);

/// Columns that are reduced together: 256 bytes of a row of floats. Their lanes, 64 x 64 floats,
/// take 16 KiB of L1. There are fewer if accumulators are large: several rows of them are on the
/// stack.
template <class A>
inline constexpr int group_columns =
    sizeof(A) <= 32 ? 64 : static_cast<int>((sizeof(A) <= 64 ? 2048 : 1024) / sizeof(A));
/// Columns that are reduced together if rows come from memory, which is read faster in pieces of 2
/// KiB; the lanes then fit an L2. Narrower problems are not cut into groups, which would read each
/// row in pieces.
template <class A>
inline constexpr int wide_columns =
    sizeof(A) < 32 ? static_cast<int>(2048 / sizeof(A)) : group_columns<A>;

/// Fewest tiles of such columns per thread: with fewer, some threads would have none.
inline constexpr index_t wide_units_per_thread = 4;

/// Slices that are reduced together if they are shorter than a tile. Their lanes are reduced to a
/// vector each and transposed, so that the last steps work on vectors of slices: a single slice
/// would spend more time on these steps than on its terms.
inline constexpr int short_slices_at_once = 8;

}  // namespace tandem::openmp_impl
