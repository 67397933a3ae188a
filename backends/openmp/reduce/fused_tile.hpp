// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/compound_reducers.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// What combines the accumulators of a part, which for extremes is their plain order.
template <class R>
auto part_order(const R& reducer) {
  if constexpr (orders_floats<R>) {
    return plain_order<R>{};
  } else {
    return reducer;
  }
}

/// One part of a tile: its reducer and its lanes' accumulators.
template <class R, int Lanes>
struct joint_part {
  using accumulator = typename R::accumulator;

  explicit joint_part(const R& of) : reducer(of) {}

  R reducer;
  lane_array<accumulator, Lanes> lane;

  /// Appends `Rows` rows of the numbers at x, the first of which has this index, to lane l, or
  /// begins it with them.
  template <bool Begin, int Rows, class T>
  [[gnu::always_inline]] void append(int l, const T* x, index_t index) {
    accumulator folded = Begin ? reducer.lift(x[l], index + l) : lane[l];
    for (int row = Begin ? 1 : 0; row < Rows; ++row) {
      const int at = l + row * Lanes;
      folded = part_order(reducer).combine(folded, reducer.lift(x[at], index + at));
    }
    lane[l] = folded;
  }

  [[gnu::always_inline]] accumulator folded(bool met_nan) {
    combine_lanes<Lanes>(lane, part_order(reducer));
    if constexpr (orders_floats<R>) {
      if (met_nan) return std::numeric_limits<accumulator>::quiet_NaN();
    }
    return lane[0];
  }
};

/// Rows that a lane takes together, with the accumulators of its parts in registers whatever the
/// width of the vectors.
inline constexpr int joint_rows = 8;

/// Appends `Rows` rows of the numbers at x to all lanes of all parts, or begins them.
template <bool Begin, int Lanes, int Rows, class T, class... R>
[[gnu::always_inline]] inline void append_jointly(const T* x, index_t index,
                                                  lane_array<flag_of<T>, Lanes>& met_nan,
                                                  joint_part<R, Lanes>&... part) {
  static_assert(Rows % 2 == 0 && canonical::rows % Rows == 0);
  for (int l = 0; l < Lanes; ++l) {
    bool met = false;
    for (int row = 0; row < Rows; row += 2)
      met |= __builtin_isunordered(x[l + row * Lanes], x[l + (row + 1) * Lanes]);
    // Not a choice between -1 and what it was, of which g++ 12 makes a jump around the store.
    met_nan[l] = (Begin ? 0 : met_nan[l]) | -flag_of<T>{met};
    (part.template append<Begin, Rows>(l, x, index), ...);
  }
}

/// Folds all parts of a whole tile of the numbers at x, the first of which has this index, in one
/// pass, each as it is folded alone.
template <int Lanes, class T, class R, int... I>
typename R::accumulator fold_joint_tile(const T* x, index_t index, const R& reducer,
                                        std::integer_sequence<int, I...>) {
  lane_array<flag_of<T>, Lanes> met_nan;
  const auto fold = [&](auto... part) {
    append_jointly<true, Lanes, joint_rows>(x, index, met_nan, part...);
    for (int row = joint_rows; row < canonical::rows; row += joint_rows) {
      const int at = row * Lanes;
      append_jointly<false, Lanes, joint_rows>(x + at, index + at, met_nan, part...);
    }
    flag_of<T> any = 0;
    for (int l = 0; l < Lanes; ++l) any |= met_nan[l];
    return join_parts(reducer, part.folded(any != 0)...);
  };
  return fold(joint_part<decltype(part_reducer<I>(reducer)), Lanes>(part_reducer<I>(reducer))...);
}

}  // namespace tandem::openmp_impl
