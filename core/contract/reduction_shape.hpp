// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/reducers/initial.hpp>

#include <cstddef>

/// The constants of the reduction order, in which every backend combines terms. They are part of
/// tandem's results (docs/numerics.md), not tuning; the golden hashes of the tests change with
/// them.
namespace tandem::canonical {

/// Rows of a tile of the commutative reduction: terms that one lane folds.
inline constexpr int rows = 32;

/// Lanes of a tile of the commutative reduction for accumulators of this size: 256 bytes of
/// accumulators of 4, 8 or 16 bytes.
constexpr int lanes_of(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 4 ? 64 : accumulator_bytes <= 8 ? 32 : 16;
}

/// Size of the accumulator that decides a reducer's lanes. For several results it is the largest
/// accumulator among those that depend on the order of combining, so that each has the bits of its
/// reducer alone; if none does, the largest of all.
template <class R>
inline constexpr std::size_t lane_bytes = sizeof(typename R::accumulator);
template <class T>
inline constexpr std::size_t lane_bytes<minmax<T>> = sizeof(T);
template <class... R>
inline constexpr std::size_t lane_bytes<combined_reducer<R...>> = [] {
  std::size_t ordered = 0;
  std::size_t any = 0;
  ((ordered = !order_free<R> && lane_bytes<R> > ordered ? lane_bytes<R> : ordered), ...);
  ((any = lane_bytes<R> > any ? lane_bytes<R> : any), ...);
  return ordered > 0 ? ordered : any;
}();
template <class R, class Function>
inline constexpr std::size_t lane_bytes<finished_reducer<R, Function>> = lane_bytes<R>;
template <class R, class T>
inline constexpr std::size_t lane_bytes<initial_reducer<R, T>> = lane_bytes<R>;

/// Lanes of a tile of the commutative reduction by R.
template <class R>
inline constexpr int lanes = lanes_of(lane_bytes<R>);

/// Terms of a tile of the commutative reduction by R.
template <class R>
inline constexpr int tile = lanes<R> * rows;

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

/// Levels of nodes above the tiles: 4096 * 32^6 elements are more than an index holds.
inline constexpr int scan_levels = 7;

}  // namespace tandem::canonical
