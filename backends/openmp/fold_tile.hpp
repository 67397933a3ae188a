// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/terms.hpp>
#include <tandem/core/canonical.hpp>

namespace tandem::openmp_impl {

/// Tiles that are folded together: twice the independent chains for the wide vectors of AVX-512, which has the registers.
#if defined(__AVX512F__)
inline constexpr int tiles_at_once = 2;
#else
inline constexpr int tiles_at_once = 1;
#endif

/// Rows that a lane folds in one go, so that its accumulator stays in a register for so long whatever the width of the
/// vectors; a compiler keeps an array of lanes in memory (measured: sum of floats in L2, 150 GB/s against 100).
inline constexpr int rows_at_once = 8;

/// The accumulators of a tile's lanes.
template <class T>
using lane_array = T[static_cast<std::size_t>(canonical::lanes<T>)];

/// Lane l takes lane l + h for h = Width / 2, .., 1, in each of Tiles tiles. A template level by level, since loops of a
/// constant length become vectors.
template <int Tiles, int Width, class T, class R>
[[gnu::always_inline]] inline void combine_lanes(lane_array<T>* lane, const R& reducer) {
  if constexpr (Width > 1) {
    constexpr int half = Width / 2;
    for (int t = 0; t < Tiles; ++t) {
      for (int l = 0; l < half; ++l) lane[t][l] = reducer.combine(lane[t][l], lane[t][l + half]);
    }
    combine_lanes<Tiles, half, T>(lane, reducer);
  }
}

/// Appends the terms at position, position + lanes, .. of `Rows` rows to a lane.
template <int Rows, class T, class Terms, class R>
[[gnu::always_inline]] inline T fold_rows(T folded, const Terms& terms, int position, const R& reducer) {
  for (int row = 0; row < Rows; ++row) {
    folded = reducer.combine(folded, terms(position + row * canonical::lanes<T>));
  }
  return folded;
}

/// Folds `Tiles` whole tiles of the commutative shape into result[0 .. Tiles - 1].
template <int Tiles, class Terms, class R>
[[gnu::always_inline]] inline void fold_whole_tiles(const Terms& terms, const R& reducer,
                                                    typename R::accumulator* result) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T> lane[static_cast<std::size_t>(Tiles)];
  for (int t = 0; t < Tiles; ++t) {
    const int begin = t * canonical::tile<T>;
    for (int l = 0; l < lanes; ++l) {
      lane[t][l] = fold_rows<rows_at_once - 1>(terms(begin + l), terms, begin + lanes + l, reducer);
    }
  }
  for (int row = rows_at_once; row < canonical::rows; row += rows_at_once) {
    for (int t = 0; t < Tiles; ++t) {
      const int begin = t * canonical::tile<T> + row * lanes;
      for (int l = 0; l < lanes; ++l) lane[t][l] = fold_rows<rows_at_once>(lane[t][l], terms, begin + l, reducer);
    }
  }
  combine_lanes<Tiles, lanes, T>(lane, reducer);
  for (int t = 0; t < Tiles; ++t) result[t] = lane[t][0];
}

/// Folds the last tile, of 1 <= count terms. Lanes without terms are skipped.
template <class Terms, class R>
typename R::accumulator fold_last_tile(const Terms& terms, int count, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T> lane;
  const int used = count < lanes ? count : lanes;
  for (int l = 0; l < used; ++l) lane[l] = terms(l);
  int row = lanes;
  for (; row + lanes <= count; row += lanes) {
    for (int l = 0; l < lanes; ++l) lane[l] = reducer.combine(lane[l], terms(row + l));
  }
  for (int l = 0; row + l < count; ++l) lane[l] = reducer.combine(lane[l], terms(row + l));
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < used; ++l) lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

}  // namespace tandem::openmp_impl
