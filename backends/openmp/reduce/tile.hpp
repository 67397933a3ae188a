// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/tile_loader.hpp>
#include <tandem/core/contract/reduction_shape.hpp>

namespace tandem::openmp_impl {

/// Makes a row's number unknown to the compiler, in loops whose rows are to stay one after the
/// other: memory is then read in its order, which hardware that fetches ahead follows best, and
/// lanes stay in registers. g++ 12 else folds pairs of rows into lanes in memory.
[[gnu::always_inline]] inline void optimization_barrier(int& row) { asm("" : "+r"(row)); }

/// Bytes of a vector register. A fold may take as many lanes together as have room in registers: it
/// is not the results that depend on this.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

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

/// Folds `rows` whole rows of terms into the lanes. The first two are combined at once: g++ 12
/// copies one alone by 16 bytes, which wider loads then wait for.
template <int Lanes, class Terms, class T, class R>
[[gnu::always_inline]] inline void fold_rows(const Terms& terms, int rows, T* lane,
                                             const R& reducer) {
  if (rows == 1) {
    for (int l = 0; l < Lanes; ++l) lane[l] = terms(l);
    return;
  }
  const Terms top = terms.from(0, 2 * Lanes);
  for (int l = 0; l < Lanes; ++l) lane[l] = reducer.combine(top(l), top(l, Lanes));
  for (int row = 2; row < rows; ++row) {
    optimization_barrier(row);
    const Terms below = terms.from(row * Lanes, Lanes);
    for (int l = 0; l < Lanes; ++l) lane[l] = reducer.combine(lane[l], below(l));
  }
}

/// Appends the terms at position, position + Lanes, .. of `Rows` rows to a lane.
template <int Lanes, int Rows, class T, class Terms, class R>
[[gnu::always_inline]] inline T append_rows(T folded, const Terms& terms, int position, int offset,
                                            const R& reducer) {
  for (int row = 0; row < Rows; ++row)
    folded = reducer.combine(folded, terms(position, offset + row * Lanes));
  return folded;
}

/// Folds a whole tile into the lanes, some rows of a lane at a time with its accumulator in a
/// register: what compilers make vectors of where accumulators are objects. Means and variances of
/// 10^5 doubles 21 us, row by row 41. More rows than these are not fetched ahead: smallest and
/// largest of 2^24 floats, as a user's operation, 1.6 ms by four rows, 2.3 by eight, every other of
/// 2^24 floats 2.7 by two, 3.6 by four.
template <int Lanes, class Terms, class T, class R>
[[gnu::always_inline]] inline void fold_lane_by_lane(const Terms& terms, T* lane,
                                                     const R& reducer) {
  constexpr int rows = is_strided<Terms> ? 2 : 4;
  const Terms top = terms.from(0, rows * Lanes);
  for (int l = 0; l < Lanes; ++l)
    lane[l] = append_rows<Lanes, rows - 1>(top(l), top, l, Lanes, reducer);
  for (int row = rows; row < canonical::rows; row += rows) {
    const Terms below = terms.from(row * Lanes, rows * Lanes);
    for (int l = 0; l < Lanes; ++l)
      lane[l] = append_rows<Lanes, rows>(lane[l], below, l, 0, reducer);
  }
}

/// Folds a whole tile of the commutative shape.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_whole_tile(const Terms& terms,
                                                                      const R& reducer) {
  using T = typename R::accumulator;
  lane_array<T, Lanes> lane;
  if constexpr (std::is_arithmetic_v<T> && !is_strided<Terms>) {
    fold_rows<Lanes>(terms, canonical::rows, lane, reducer);
  } else {
    fold_lane_by_lane<Lanes>(terms, lane, reducer);
  }
  combine_lanes<Lanes>(lane, reducer);
  return lane[0];
}

/// Folds the 1 <= count terms of a last tile into lanes.
template <class Terms, class T, class R>
[[gnu::always_inline]] inline void fold_into_lanes(const Terms& terms, int count, T* lane,
                                                   const R& reducer) {
  constexpr int lanes = canonical::lanes<T>;
  const int rows = count / lanes;
  const int rest = count % lanes;
  if (rows == 0) {
    lane[0] = terms(0);
    for (int l = 1; l < rest; ++l) lane[l] = terms(l);
    return;
  }
  fold_rows<lanes>(terms, rows, lane, reducer);
  if (rest == 0) return;
  const Terms last = terms.from(rows * lanes, rest);
  for (int l = 0; l < rest; ++l) lane[l] = reducer.combine(lane[l], last(l));
}

/// Folds the 1 <= count terms of a last tile to one value. Lanes without terms are skipped.
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
