// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/core/reducers.hpp>

#include <cstdint>
#include <limits>

namespace tandem::openmp_impl {

/// What to make of minimum<T> and maximum<T> of floating point in a tile: their order without a
/// thought of NaN, since looking out for one in each step costs a tile four times as much.
template <class R>
inline constexpr bool is_float_minmax = false;
template <std::floating_point T>
inline constexpr bool is_float_minmax<minimum<T>> = true;
template <std::floating_point T>
inline constexpr bool is_float_minmax<maximum<T>> = true;

/// The more extreme of two numbers, the first of equals. One instruction where there are vectors.
template <class R>
struct number_order;
template <class T>
struct number_order<minimum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct number_order<maximum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return a < b ? b : a; }
};

/// Integer as wide as a T, so that it has as many lanes in a vector.
template <class T>
using flag_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The extreme of Lanes x Rows numbers, a tile's or more, in the order of the commutative shape;
/// NaN if there is one. A row is taken in quarters, which share what tells whether there is a NaN:
/// one comparison for two numbers.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_extreme_rows(const Terms& terms,
                                                                        const R&) {
  using T = typename R::accumulator;
  constexpr int width = Lanes / 4;
  const number_order<R> order;
  lane_array<T, Lanes> best;
  lane_array<flag_of<T>, width> nan_seen;
  for (int l = 0; l < Lanes; ++l) best[l] = R{}.identity();
  for (int l = 0; l < width; ++l) nan_seen[l] = 0;
  for (int row = 0; row < Rows; ++row) {
    optimization_barrier(row);
    const Terms below = terms.from(row * Lanes, Lanes);
    for (int l = 0; l < width; ++l) {
      const T x[4] = {below(l), below(l, width), below(l, 2 * width), below(l, 3 * width)};
      const flag_of<T> met = __builtin_isunordered(x[0], x[1]) ? flag_of<T>{-1} : nan_seen[l];
      nan_seen[l] = __builtin_isunordered(x[2], x[3]) ? flag_of<T>{-1} : met;
      for (int q = 0; q < 4; ++q) best[l + q * width] = order.combine(best[l + q * width], x[q]);
    }
  }
  flag_of<T> any = 0;
  for (int l = 0; l < width; ++l) any |= nan_seen[l];
  combine_lanes<Lanes>(best, order);
  return any != 0 ? std::numeric_limits<T>::quiet_NaN() : best[0];
}

/// Folds a whole tile in the way that is fastest for the reducer.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_tile(const Terms& terms,
                                                                const R& reducer) {
  if constexpr (is_float_minmax<R>) {
    return fold_extreme_rows<Lanes, canonical::rows>(terms, reducer);
  } else {
    return fold_whole_tile<Lanes>(terms, reducer);
  }
}

}  // namespace tandem::openmp_impl
