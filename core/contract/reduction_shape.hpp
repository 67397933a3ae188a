// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// The constants of the canonical shape: the order in which every backend combines terms. They are
/// part of tandem's results (docs/numerics.md), not tuning; the golden hashes of the tests change
/// with them.
namespace tandem::canonical {

/// Rows of a tile of the commutative reduction: terms that one lane folds.
inline constexpr int rows = 32;

/// Lanes of a tile of the commutative reduction: 256 bytes of accumulators of 4, 8 or 16 bytes.
template <class Accumulator>
inline constexpr int lanes = sizeof(Accumulator) <= 4   ? 64
                             : sizeof(Accumulator) <= 8 ? 32
                                                        : 16;

/// Terms of a tile of the commutative reduction.
template <class Accumulator>
inline constexpr int tile = lanes<Accumulator> * rows;

/// Contiguous terms that the ordered reduction and the scan fold from the left.
inline constexpr int segment = 16;

/// Segments of a row of the scan: one warp of a GPU.
inline constexpr int row_segments = 32;

/// Rows of a tile of the scan.
inline constexpr int tile_rows = 8;

/// Elements of a tile of the scan, and of a block of the ordered reduction.
inline constexpr int scan_tile = segment * row_segments * tile_rows;

/// Tiles of the scan that one node of the next level covers.
inline constexpr int scan_radix = 32;

/// Levels of nodes above the tiles: 4096 * 32^6 elements is more than an index holds.
inline constexpr int scan_levels = 7;

}  // namespace tandem::canonical
