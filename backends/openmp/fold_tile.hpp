// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/terms.hpp>
#include <tandem/core/canonical.hpp>

namespace tandem::openmp_impl {

/// Rows that a lane folds in one go, with its accumulator in a register whatever the width of the
/// vectors. g++ 12 keeps an array of lanes in memory (measured, sum of floats in L2 with AVX-512:
/// 150 GB/s against 100) and makes scalars of a minimum row by row. Several tiles side by side
/// gained nothing over this.
inline constexpr int rows_at_once = 8;

/// The accumulators of a tile's lanes.
template <class T>
using lane_array = T[static_cast<std::size_t>(canonical::lanes<T>)];

/// Lane l takes lane l + h for h = Width / 2, .., 1. A template level by level, since loops of a
/// constant length become vectors.
template <int Width, class T, class R>
[[gnu::always_inline]] inline void combine_lanes(lane_array<T>& lane, const R& reducer) {
  if constexpr (Width > 1) {
    constexpr int half = Width / 2;
    for (int l = 0; l < half; ++l) lane[l] = reducer.combine(lane[l], lane[l + half]);
    combine_lanes<half, T>(lane, reducer);
  }
}

/// Appends the terms at position, position + lanes, .. of `Rows` rows to a lane.
template <int Rows, class T, class Terms, class R>
[[gnu::always_inline]] inline T fold_rows(T folded, const Terms& terms, int position,
                                          const R& reducer) {
  for (int row = 0; row < Rows; ++row) {
    folded = reducer.combine(folded, terms(position + row * canonical::lanes<T>));
  }
  return folded;
}

/// Folds a whole tile of the commutative shape.
template <class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_whole_tile(const Terms& terms,
                                                                      const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T> lane;
  for (int l = 0; l < lanes; ++l) {
    lane[l] = fold_rows<rows_at_once - 1>(terms(l), terms, lanes + l, reducer);
  }
  for (int row = rows_at_once; row < canonical::rows; row += rows_at_once) {
    for (int l = 0; l < lanes; ++l) {
      lane[l] = fold_rows<rows_at_once>(lane[l], terms, row * lanes + l, reducer);
    }
  }
  combine_lanes<lanes, T>(lane, reducer);
  return lane[0];
}

/// Folds the last tile, of 1 <= count terms. Lanes without terms are skipped.
template <class Terms, class R>
typename R::accumulator fold_last_tile(const Terms& terms, int count, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T> lane;
  const int used = count < lanes ? count : lanes;
  lane[0] = terms(0);
  for (int l = 1; l < used; ++l) lane[l] = terms(l);
  int row = lanes;
  for (; row + lanes <= count; row += lanes) {
    for (int l = 0; l < lanes; ++l) lane[l] = reducer.combine(lane[l], terms(row + l));
  }
  for (int l = 0; row + l < count; ++l) lane[l] = reducer.combine(lane[l], terms(row + l));
  if (used == lanes) {
    combine_lanes<lanes, T>(lane, reducer);
    return lane[0];
  }
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < used; ++l) lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

}  // namespace tandem::openmp_impl
