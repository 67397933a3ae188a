// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fold_tile.hpp>
#include <tandem/core/reducers.hpp>

#include <cstdint>
#include <limits>

namespace tandem::openmp_impl {

/// What to make of minimum<T> and maximum<T> of floating point in a tile: their order without a
/// thought of NaN, since looking out for one in each step costs a tile four times as much.
template <class R>
inline constexpr bool orders_floats = false;
template <std::floating_point T>
inline constexpr bool orders_floats<minimum<T>> = true;
template <std::floating_point T>
inline constexpr bool orders_floats<maximum<T>> = true;

/// The more extreme of two numbers, the first of equals. One instruction where there are vectors.
template <class R>
struct plain_order;
template <class T>
struct plain_order<minimum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct plain_order<maximum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return a < b ? b : a; }
};

/// Integer as wide as a T, so that it has as many lanes in a vector.
template <class T>
using flag_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// A lane and whether it has met a NaN: then `best` means nothing.
template <class T>
struct watched_lane {
  T best;
  flag_of<T> met_nan;
};

/// Appends `Rows` rows. One comparison tells whether either of two terms is NaN.
template <int Lanes, int Rows, class T, class Terms, class Order>
[[gnu::always_inline]] inline watched_lane<T> watch_rows(watched_lane<T> lane, const Terms& terms,
                                                         int position, const Order& order) {
  static_assert(Rows % 2 == 0);
  for (int row = 0; row < Rows; row += 2) {
    const T a = terms(position, row * Lanes);
    const T b = terms(position, (row + 1) * Lanes);
    lane.met_nan = __builtin_isunordered(a, b) ? flag_of<T>{-1} : lane.met_nan;
    lane.best = order.combine(order.combine(lane.best, a), b);
  }
  return lane;
}

/// The extreme of a tile of Lanes x canonical::rows numbers, in the order of the commutative shape;
/// NaN if there is one.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_extreme_tile(const Terms& terms,
                                                                        const R&) {
  using T = typename R::accumulator;
  const plain_order<R> order;
  lane_array<T, Lanes> best;
  lane_array<flag_of<T>, Lanes> met_nan;
  for (int l = 0; l < Lanes; ++l) {
    best[l] = R{}.identity();
    met_nan[l] = 0;
  }
  for (int row = 0; row < canonical::rows; row += Rows) {
    const Terms below = terms.from(row * Lanes, Rows * Lanes);
    for (int l = 0; l < Lanes; ++l) {
      const auto lane =
          watch_rows<Lanes, Rows>(watched_lane<T>{best[l], met_nan[l]}, below, l, order);
      best[l] = lane.best;
      met_nan[l] = lane.met_nan;
    }
  }
  flag_of<T> any = 0;
  for (int l = 0; l < Lanes; ++l) any |= met_nan[l];
  combine_lanes<Lanes>(best, order);
  return any != 0 ? std::numeric_limits<T>::quiet_NaN() : best[0];
}

/// Folds a whole tile in the way that is fastest for the reducer.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_tile(const Terms& terms,
                                                                const R& reducer) {
  if constexpr (orders_floats<R>) {
    return fold_extreme_tile<Lanes, Rows>(terms, reducer);
  } else {
    return fold_whole_tile<Lanes, Rows>(terms, reducer);
  }
}

}  // namespace tandem::openmp_impl
