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
/// The same of a large array: hardware that fetches ahead does not follow eight rows. Sum of 2^24
/// floats, one core: 27 GB/s by eight rows, 42 by four, 39 by two, a plain loop 37; sums of
/// magnitudes by a function 21, 30, 30 and 35, largest of 2^24 20, 34, 33 and 37.
inline constexpr int rows_in_stream = 2;

/// The accumulators of a tile's lanes.
template <class T, int Lanes>
using lane_array = T[static_cast<std::size_t>(Lanes)];

/// Lane l takes lane l + h for h = Width / 2, .., Left, after which so many lanes are left. A
/// template level by level, since loops of a constant length become vectors.
template <int Width, int Left = 1, class T, class R>
[[gnu::always_inline]] inline void combine_lanes(T* lane, const R& reducer) {
  if constexpr (Width > Left) {
    constexpr int half = Width / 2;
    for (int l = 0; l < half; ++l) lane[l] = reducer.combine(lane[l], lane[l + half]);
    combine_lanes<half, Left>(lane, reducer);
  }
}

/// Appends the terms at position, position + Lanes, .. of `Rows` rows to a lane.
template <int Lanes, int Rows, class T, class Terms, class R>
[[gnu::always_inline]] inline T fold_rows(T folded, const Terms& terms, int position, int offset,
                                          const R& reducer) {
  for (int row = 0; row < Rows; ++row) {
    folded = reducer.combine(folded, terms(position, offset + row * Lanes));
  }
  return folded;
}

/// Folds a whole tile of the commutative shape, `Rows` rows at once.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_whole_tile(const Terms& terms,
                                                                      const R& reducer) {
  using T = typename R::accumulator;
  lane_array<T, Lanes> lane;
  const Terms top = terms.from(0, Rows * Lanes);
  for (int l = 0; l < Lanes; ++l) {
    lane[l] = fold_rows<Lanes, Rows - 1>(top(l), top, l, Lanes, reducer);
  }
  for (int row = Rows; row < canonical::rows; row += Rows) {
    const Terms below = terms.from(row * Lanes, Rows * Lanes);
    for (int l = 0; l < Lanes; ++l) {
      lane[l] = fold_rows<Lanes, Rows>(lane[l], below, l, 0, reducer);
    }
  }
  combine_lanes<Lanes>(lane, reducer);
  return lane[0];
}

/// Folds the 1 <= count terms of a last tile row by row into lanes. The first two rows are taken at
/// once: of rows of 128 floats they are all.
template <class Terms, class T, class R>
[[gnu::always_inline]] inline void fold_into_lanes(const Terms& terms, int count, T* lane,
                                                   const R& reducer) {
  constexpr int lanes = canonical::lanes<T>;
  if (count < lanes) {
    lane[0] = terms(0);
    for (int l = 1; l < count; ++l) lane[l] = terms(l);
    return;
  }
  const int rows = count / lanes;
  const int rest = count % lanes;
  if (rows == 1) {
    for (int l = 0; l < lanes; ++l) lane[l] = terms(l);
  } else {
    for (int l = 0; l < lanes; ++l) lane[l] = reducer.combine(terms(l), terms(l, lanes));
  }
  for (int row = 2; row < rows; ++row) {
    for (int l = 0; l < lanes; ++l) lane[l] = reducer.combine(lane[l], terms(l, row * lanes));
  }
  for (int l = 0; l < rest; ++l) lane[l] = reducer.combine(lane[l], terms(l, rows * lanes));
}

/// The same, down to one value. Lanes without terms are skipped.
template <class Terms, class R>
typename R::accumulator fold_last_rows(const Terms& terms, int count, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T, lanes> lane;
  fold_into_lanes(terms, count, lane, reducer);
  const int used = count < lanes ? count : lanes;
  if (used == lanes) {
    combine_lanes<lanes>(lane, reducer);
    return lane[0];
  }
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < used; ++l) lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// Folds the last tile, of 1 <= count terms.
template <class Terms, class R>
typename R::accumulator fold_last_tile(const Terms& terms, int count, const R& reducer) {
  constexpr int tile = canonical::tile<typename R::accumulator>;
  if (count > tile) __builtin_unreachable();
  if (terms.reaches(tile)) return fold_last_rows(terms.from(0, tile), count, reducer);
  return fold_last_rows(terms, count, reducer);
}

}  // namespace tandem::openmp_impl
