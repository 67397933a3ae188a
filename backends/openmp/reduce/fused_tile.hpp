// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/compound_reducers.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// What combines the accumulators of a part, which for extremes is their plain order.
template <class R>
auto component_order(const R& reducer) {
  if constexpr (is_float_minmax<R>) {
    return number_order<R>{};
  } else {
    return reducer;
  }
}

/// One part of a tile: its reducer and its lanes' accumulators.
template <class R, int Lanes>
struct fused_component {
  using accumulator = typename R::accumulator;

  explicit fused_component(const R& of) : reducer(of) {}

  R reducer;
  lane_array<accumulator, Lanes> lane;

  /// Appends `Rows` rows of the numbers at x, the first of which has this index, to lane l, or
  /// begins it with them.
  template <bool Begin, int Rows, class T>
  [[gnu::always_inline]] void append(int l, const T* x, index_t index) {
    accumulator folded = Begin ? reducer.lift(x[l], index + l) : lane[l];
    for (int row = Begin ? 1 : 0; row < Rows; ++row) {
      const int at = l + row * Lanes;
      folded = component_order(reducer).combine(folded, reducer.lift(x[at], index + at));
    }
    lane[l] = folded;
  }

  [[gnu::always_inline]] accumulator folded(bool nan_seen) {
    combine_lanes<Lanes>(lane, component_order(reducer));
    if constexpr (is_float_minmax<R>) {
      if (nan_seen) return std::numeric_limits<accumulator>::quiet_NaN();
    }
    return lane[0];
  }
};

/// Rows that a lane takes together, with the accumulators of its parts in registers whatever the
/// width of the vectors.
inline constexpr int fused_rows = 8;

/// Appends `Rows` rows of the numbers at x to all lanes of all parts, or begins them.
template <bool Begin, int Lanes, int Rows, class T, class... R>
[[gnu::always_inline]] inline void append_fused(const T* x, index_t index,
                                                lane_array<flag_of<T>, Lanes>& nan_seen,
                                                fused_component<R, Lanes>&... part) {
  static_assert(Rows % 2 == 0 && canonical::rows % Rows == 0);
  for (int l = 0; l < Lanes; ++l) {
    bool met = false;
    for (int row = 0; row < Rows; row += 2)
      met |= __builtin_isunordered(x[l + row * Lanes], x[l + (row + 1) * Lanes]);
    // Not a choice between -1 and what it was, of which g++ 12 makes a jump around the store.
    nan_seen[l] = (Begin ? 0 : nan_seen[l]) | -flag_of<T>{met};
    (part.template append<Begin, Rows>(l, x, index), ...);
  }
}

/// Folds all parts of a whole tile of the numbers at x, the first of which has this index, in one
/// pass, each as it is folded alone.
template <int Lanes, class T, class R, int... I>
typename R::accumulator fold_joint_tile(const T* x, index_t index, const R& reducer,
                                        std::integer_sequence<int, I...>) {
  lane_array<flag_of<T>, Lanes> nan_seen;
  const auto fold = [&](auto... part) {
    append_fused<true, Lanes, fused_rows>(x, index, nan_seen, part...);
    for (int row = fused_rows; row < canonical::rows; row += fused_rows) {
      const int at = row * Lanes;
      append_fused<false, Lanes, fused_rows>(x + at, index + at, nan_seen, part...);
    }
    flag_of<T> any = 0;
    for (int l = 0; l < Lanes; ++l) any |= nan_seen[l];
    return join_components(reducer, part.folded(any != 0)...);
  };
  return fold(fused_component<decltype(component_reducer<I>(reducer)), Lanes>(
      component_reducer<I>(reducer))...);
}

}  // namespace tandem::openmp_impl
