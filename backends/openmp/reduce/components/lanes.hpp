// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/backends/openmp/reduce/components/fused.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/core/reducers/combined.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

/// Tiles with several results whose lanes are an array for each component: compilers vectorise
/// loops over these, but not over lanes that are tuples of many values or of different sizes.
namespace tandem::openmp_impl {

/// Whether the tiles of a reducer are reduced in this way: all its components are numbers.
template <class R>
inline constexpr bool takes_component_lanes = false;
template <std::floating_point T>
inline constexpr bool takes_component_lanes<minmax<T>> = true;
template <class... R>
inline constexpr bool takes_component_lanes<combined_reducer<R...>> =
    sizeof(typename combined_reducer<R...>::accumulator) <= 256 &&
    ((R::commutative && component_count<R> == 0 && !is_argminmax<R> &&
      std::is_arithmetic_v<typename R::accumulator>)&&...);

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// One component of a tile: its reducer and the accumulators of its lanes.
template <class R, int Lanes>
class component_lanes {
 public:
  using accumulator = typename R::accumulator;

  explicit component_lanes(const R& reducer) : reducer_(reducer) {}

  [[gnu::always_inline]] void clear() {
    for (int l = 0; l < Lanes; ++l) lane_[l] = reducer_.identity();
    if constexpr (is_float_minmax<R>) {
      for (int l = 0; l < Lanes; ++l) nan_seen_[l] = 0;
    }
  }
  /// Appends terms to lane l, in their order.
  template <class... Term>
  [[gnu::always_inline]] void append(int l, Term... term) {
    accumulator folded = lane_[l];
    ((folded = component_order(reducer_).combine(folded, term)), ...);
    lane_[l] = folded;
    if constexpr (is_float_minmax<R>) nan_seen_[l] |= -flag{(is_nan(term) || ...)};
  }
  [[gnu::always_inline]] accumulator total() {
    combine_lanes<Lanes>(lane_, component_order(reducer_));
    if constexpr (is_float_minmax<R>) {
      flag any = 0;
      for (int l = 0; l < Lanes; ++l) any |= nan_seen_[l];
      if (any != 0) return std::numeric_limits<accumulator>::quiet_NaN();
    }
    return lane_[0];
  }

 private:
  using flag = flag_of<std::conditional_t<is_float_minmax<R>, accumulator, float>>;

  R reducer_;
  lane_array<accumulator, Lanes> lane_;
  lane_array<flag, is_float_minmax<R> ? Lanes : 1> nan_seen_;
};

template <int Position, class Component, class... Term>
[[gnu::always_inline]] inline void append_component(Component& component, int l,
                                                    const Term&... term) {
  component.append(l, component_of<Position>(term)...);
}

/// Calls fill(append) and returns what the terms that it appends to the lanes reduce to:
/// append(l, term..) appends terms to lane l.
template <int Lanes, class Fill, class R, int... Position>
[[gnu::always_inline]] inline typename R::accumulator reduce_in_components(
    const Fill& fill, const R& reducer, std::integer_sequence<int, Position...>) {
  const auto reduce = [&](auto&&... component) __attribute__((always_inline)) {
    (component.clear(), ...);
    fill([&](int l, const auto&... term) __attribute__((always_inline)) {
      (append_component<Position>(component, l, term...), ...);
    });
    return join_components(reducer, component.total()...);
  };
  return reduce(component_lanes<decltype(component_reducer<Position>(reducer)), Lanes>(
      component_reducer<Position>(reducer))...);
}

/// Appends Rows rows of Lanes terms, from position `from` on, to the lanes.
template <int Lanes, int Rows, class Terms, class Append>
[[gnu::always_inline]] inline void append_rows_of(const Terms& all, int from,
                                                  const Append& append) {
  const Terms terms = all.from(from, Rows * Lanes);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int l = 0; l < Lanes; ++l) {
    [&]<int... Row>(std::integer_sequence<int, Row...>) __attribute__((always_inline)) {
      append(l, terms(l, Row * Lanes)...);
    }
    (std::make_integer_sequence<int, Rows>{});
  }
}

/// Reduces 1 <= count terms, at most those of a tile.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_component_tile(const Terms& terms,
                                                                            int count,
                                                                            const R& reducer) {
  constexpr int at_once = 4;
  const auto fill = [&](const auto& append) __attribute__((always_inline)) {
    int done = 0;
    for (; count - done >= at_once * Lanes; done += at_once * Lanes)
      append_rows_of<Lanes, at_once>(terms, done, append);
    for (; count - done >= Lanes; done += Lanes) append_rows_of<Lanes, 1>(terms, done, append);
    for (int l = 0; l < count - done; ++l) append(l, terms(done + l));
  };
  return reduce_in_components<Lanes>(fill, reducer,
                                     std::make_integer_sequence<int, component_count<R>>{});
}

/// A place among terms that come in rows.
struct row_place {
  index_t row;
  index_t column;
};

/// Reduces 1 <= count terms that come in rows, at most those of a tile, from `at` on, which moves
/// behind them.
template <int Lanes, class Load, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_component_rows(const Load& load,
                                                                            row_place& at,
                                                                            int count,
                                                                            const R& reducer) {
  using Index = typename Load::row_index;
  const index_t width = load.row_length();
  const auto fill = [&](const auto& append) __attribute__((always_inline)) {
    for (int done = 0; done < count;) {
      const int lane = done % Lanes;
      const int left = count - done < Lanes - lane ? count - done : Lanes - lane;
      const int length = width - at.column < left ? static_cast<int>(width - at.column) : left;
      load.with_row(
          at.row, [&, lane, length, column = static_cast<Index>(at.column) ](
                      const auto& term) __attribute__((always_inline)) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
            for (int i = 0; i < length; ++i)
              append(lane + i, term(static_cast<Index>(column + static_cast<Index>(i))));
          });
      done += length;
      at.column += length;
      if (at.column == width) at = {at.row + 1, 0};
    }
  };
  return reduce_in_components<Lanes>(fill, reducer,
                                     std::make_integer_sequence<int, component_count<R>>{});
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
