// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fold_tile.hpp>
#include <tandem/core/load.hpp>

namespace tandem::openmp_impl {

/// Slices that are folded together where they are shorter than a tile. What is left of their lanes
/// is turned, so that vectors of slices take the last steps; one slice alone spends more time on
/// those than on its terms. Sums of rows of 128 floats in a cache, a core of a Zen 5: alone 21 ns a
/// row, 8 together with 8 lanes left 7.8, with 16 left 8.7, 16 together 7.7.
inline constexpr int short_slices_at_once = 8;

/// Folds the `count` contiguous terms of each slice, at least one for each lane and less than a
/// tile; begin_of(s) is where slice s begins, store(s, folded) takes its result.
template <class T, class R, class Begin, class Store>
void fold_short_slices(const Begin& begin_of, int count, const R& reducer, const Store& store) {
  using A = typename R::accumulator;
  constexpr int slices = short_slices_at_once;
  constexpr int lanes = canonical::lanes<A>;
  constexpr int left = 8;
  if (count < lanes) __builtin_unreachable();  // takes a third of the time off g++ 12's loops
  lane_array<A, left> part[static_cast<std::size_t>(slices)];
  lane_array<A, slices> turned[static_cast<std::size_t>(left)];
  for (int s = 0; s < slices; ++s) {
    const contiguous_load<T, R> load{begin_of(s), reducer};
    lane_array<A, lanes> lane;
    fold_into_lanes(tile_terms<contiguous_load<T, R>>{load, 0}, count, lane, reducer);
    combine_lanes<lanes, left>(lane, reducer);
    for (int l = 0; l < left; ++l) part[s][l] = lane[l];
  }
  for (int l = 0; l < left; ++l) {
    for (int s = 0; s < slices; ++s) turned[l][s] = part[s][l];
  }
  for (int h = left / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h; ++l) {
      for (int s = 0; s < slices; ++s)
        turned[l][s] = reducer.combine(turned[l][s], turned[l + h][s]);
    }
  }
  for (int s = 0; s < slices; ++s) store(s, turned[0][s]);
}

}  // namespace tandem::openmp_impl
