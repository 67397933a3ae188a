// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/core/reducers/combined.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// The number of components of an accumulator that are combined independently, or 0. Each component
/// of a tile can be reduced separately, which compilers vectorise even if they do not vectorise
/// accumulators that are objects.
template <class R>
inline constexpr int component_count = 0;
template <std::floating_point T>
inline constexpr int component_count<minmax<T>> = 2;
template <class... R>
inline constexpr int component_count<combined_reducer<R...>> = int{sizeof...(R)};

/// Whether reducing components separately, or one of them alone, is faster.
template <class R>
inline constexpr bool gains_by_components = is_float_minmax<R> || is_argminmax<R>;
template <std::floating_point T>
inline constexpr bool gains_by_components<minmax<T>> = true;
template <class... R>
inline constexpr bool gains_by_components<combined_reducer<R...>> = (gains_by_components<R> || ...);

/// Whether a tile is reduced component by component, if its terms allow (takes_components).
template <class R>
inline constexpr bool reduces_componentwise = component_count<R> > 0 && gains_by_components<R> &&
                                              sizeof(typename R::accumulator) <= 128;

/// Whether all components can be reduced in one pass over numbers of type T in memory, with one
/// comparison that detects NaN for all of them. A position needs a separate search.
template <class R, class T>
inline constexpr bool is_fusable = false;
template <std::floating_point T>
inline constexpr bool is_fusable<minmax<T>, T> = true;
template <class... R, std::floating_point T>
inline constexpr bool is_fusable<combined_reducer<R...>, T> =
    ((component_count<R> == 0 && !is_argminmax<R>)&&...);

/// The reducer of component I.
template <int Position, class T>
auto component_reducer(const minmax<T>&) {
  return std::conditional_t<Position == 0, minimum<T>, maximum<T>>{};
}
template <int Position, class... R>
auto component_reducer(const combined_reducer<R...>& reducer) {
  return tandem::get<std::size_t{Position}>(reducer.reducers);
}

/// Component I of an accumulator.
template <int Position, class T>
T component_of(const min_max_values<T>& a) {
  return Position == 0 ? a.minimum : a.maximum;
}
template <int Position, class... A>
auto component_of(const tuple<A...>& a) {
  return tandem::get<std::size_t{Position}>(a);
}

template <class T>
min_max_values<T> join_components(const minmax<T>&, T low, T high) {
  return {low, high};
}
template <class... R, class... A>
tuple<A...> join_components(const combined_reducer<R...>&, A... component) {
  return tandem::make_tuple(component...);
}

template <class T>
inline constexpr bool is_plain_array = false;
template <class T, class R>
inline constexpr bool is_plain_array<tile_loader<contiguous_load<T, R>>> = std::is_arithmetic_v<T>;

/// Loads the numbers of a load as terms of another reducer.
template <class T, class R, class Other>
contiguous_load<T, Other> with_reducer(const contiguous_load<T, R>& load, const Other& other) {
  return {load.data, other};
}

template <class Terms>
inline constexpr bool is_fused = false;
template <class T, class R>
inline constexpr bool is_fused<tile_loader<contiguous_load<T, R>>> = is_fusable<R, T>;

/// What combines the accumulators of a component: for a minimum or maximum, the order of numbers.
template <class R>
auto component_order(const R& reducer) {
  if constexpr (is_float_minmax<R>) {
    return number_order<R>{};
  } else {
    return reducer;
  }
}

/// One component of a tile: its reducer and the accumulators of its lanes.
template <class R, int Lanes>
struct fused_component {
  using accumulator = typename R::accumulator;

  explicit fused_component(const R& of) : reducer(of) {}

  R reducer;
  lane_array<accumulator, Lanes> lane;

  /// Appends `Rows` rows of the numbers at x, the first of which has index `index`, to lane l, or
  /// starts the lane with them.
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

/// Rows that a lane takes together, with the accumulators of its components in registers, whatever
/// the width of the vectors.
inline constexpr int fused_rows = 8;

/// Appends `Rows` rows of the numbers at x to all lanes of all components, or starts the lanes.
template <bool Begin, int Lanes, int Rows, class T, class... R>
[[gnu::always_inline]] inline void append_fused(const T* x, index_t index,
                                                lane_array<flag_of<T>, Lanes>& nan_seen,
                                                fused_component<R, Lanes>&... component) {
  static_assert(Rows % 2 == 0 && canonical::rows % Rows == 0);
  for (int l = 0; l < Lanes; ++l) {
    bool met = false;
    for (int row = 0; row < Rows; row += 2)
      met |= __builtin_isunordered(x[l + row * Lanes], x[l + (row + 1) * Lanes]);
    // Not a choice between -1 and the old value, which g++ 12 compiles to a jump around the store.
    nan_seen[l] = (Begin ? 0 : nan_seen[l]) | -flag_of<T>{met};
    (component.template append<Begin, Rows>(l, x, index), ...);
  }
}

/// Reduces all components of a whole tile of the numbers at x, the first of which has index
/// `index`, in one pass, each with the bits of a separate reduction.
template <int Lanes, class T, class R, int... Position>
typename R::accumulator reduce_fused_tile(const T* x, index_t index, const R& reducer,
                                          std::integer_sequence<int, Position...>) {
  lane_array<flag_of<T>, Lanes> nan_seen;
  const auto reduce_subtree = [&](auto... component) {
    append_fused<true, Lanes, fused_rows>(x, index, nan_seen, component...);
    for (int row = fused_rows; row < canonical::rows; row += fused_rows) {
      const int at = row * Lanes;
      append_fused<false, Lanes, fused_rows>(x + at, index + at, nan_seen, component...);
    }
    flag_of<T> any = 0;
    for (int l = 0; l < Lanes; ++l) any |= nan_seen[l];
    return join_components(reducer, component.folded(any != 0)...);
  };
  return reduce_subtree(fused_component<decltype(component_reducer<Position>(reducer)), Lanes>(
      component_reducer<Position>(reducer))...);
}

/// The subtree over Count = 2^k values, which it overwrites.
template <int Count, class T, class R>
[[gnu::always_inline]] inline T combine_adjacent(T* value, const R& reducer) {
  if constexpr (Count > 1) {
    for (int i = 0; i < Count / 2; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    return combine_adjacent<Count / 2>(value, reducer);
  }
  return value[0];
}

/// Whether fused tiles are reduced in batches: row by row, with all lanes in registers, for which
/// only AVX-512 has enough; at the end, the lanes of many tiles are combined in vectors.
inline constexpr bool has_batches = vector_bytes == 64;

/// Levels of the tree in a batch of tiles of `Lanes` lanes: tiles with few lanes gain from larger
/// batches.
template <int Lanes>
inline constexpr int batch_levels = Lanes <= 16 ? 4 : 3;

/// Tiles that are reduced together. If a row is one vector, each sum would wait for the previous
/// one, so two tiles alternate; otherwise memory is read in order, which is faster.
template <class T, int Lanes>
inline constexpr int tiles_together = Lanes * sizeof(T) < 2 * vector_bytes ? 2 : 1;

/// Combines the Width lanes of each tile to one value per tile, halving the width over all tiles at
/// a time, which compilers vectorise.
template <int Tiles, int Width, class T, class R>
[[gnu::always_inline]] inline void combine_lanes_of_tiles(const T* lane, T* folded,
                                                          const R& order) {
  if constexpr (Width == 2) {
    for (int t = 0; t < Tiles; ++t) folded[t] = order.combine(lane[2 * t], lane[2 * t + 1]);
  } else {
    constexpr int half = Width / 2;
    alignas(64) T left[static_cast<std::size_t>(Tiles * half)];
    for (int t = 0; t < Tiles; ++t) {
      for (int l = 0; l < half; ++l)
        left[t * half + l] = order.combine(lane[t * Width + l], lane[t * Width + half + l]);
    }
    combine_lanes_of_tiles<Tiles, half>(left, folded, order);
  }
}

/// Components that are NaN if a term is, but not only then: infinities cancel.
template <class R>
inline constexpr bool propagates_nan_of = false;
template <std::floating_point T>
inline constexpr bool propagates_nan_of<sum<T>> = true;
template <std::floating_point T>
inline constexpr bool propagates_nan_of<product<T>> = true;

/// One component of a batch: its reducer, the accumulators of the lanes that are reduced together
/// in two halves (of one tile, or of two), and the finished lanes of all tiles.
template <class R, int Lanes, int Tiles, int Half>
struct batch_component {
  using accumulator = typename R::accumulator;
  static constexpr bool propagates_nan = propagates_nan_of<R>;

  explicit batch_component(const R& of) : reducer(of) {}

  R reducer;
  lane_array<accumulator, Half> first;
  lane_array<accumulator, Half> second;
  alignas(64) lane_array<accumulator, Tiles * Lanes> finished;
  accumulator total;

  /// Appends x[l] to lane l of the first half and x[l + next] to that of the second, or starts the
  /// lanes with them; x[0] has index `index`.
  template <bool Begin, class T>
  [[gnu::always_inline]] void append(int l, const T* x, int next, index_t index) {
    const accumulator a = reducer.lift(x[l], index + l);
    const accumulator b = reducer.lift(x[l + next], index + l + next);
    first[l] = Begin ? a : component_order(reducer).combine(first[l], a);
    second[l] = Begin ? b : component_order(reducer).combine(second[l], b);
  }
  /// Stores the lanes as those of tile number `tile`, and of the next one if two are reduced
  /// together.
  [[gnu::always_inline]] void finish(int tile) {
    for (int l = 0; l < Half; ++l) finished[tile * Lanes + l] = first[l];
    for (int l = 0; l < Half; ++l) finished[tile * Lanes + Half + l] = second[l];
  }
  /// Combines the lanes of all tiles.
  [[gnu::always_inline]] void combine() {
    accumulator each[static_cast<std::size_t>(Tiles)];
    combine_lanes_of_tiles<Tiles, Lanes>(finished, each, component_order(reducer));
    total = combine_adjacent<Tiles>(each, component_order(reducer));
  }
  /// Whether there may be a NaN among the terms, as far as this component shows.
  [[gnu::always_inline]] bool may_have_seen_nan() const {
    if constexpr (propagates_nan) return is_nan(total);
    return false;
  }
  [[gnu::always_inline]] accumulator folded(bool nan_seen) const {
    if (is_float_minmax<R> && nan_seen) return std::numeric_limits<accumulator>::quiet_NaN();
    return total;
  }
};

/// Whether there is a NaN among the numbers at x.
template <class T>
[[gnu::noinline]] bool has_nan(const T* x, int count) {
  int met = 0;
  for (int i = 0; i < count; ++i) met |= static_cast<int>(is_nan(x[i]));
  return met != 0;
}

/// Appends a row of each tile that is reduced together, the first tile's at x, to all components,
/// or starts them. If a component propagates NaN, no comparison looks for it.
template <bool Begin, int Half, class T, class... Component>
[[gnu::always_inline]] inline void append_row(const T* x, int next, index_t index,
                                              lane_array<flag_of<T>, Half>& nan_seen,
                                              Component&... component) {
  for (int l = 0; l < Half; ++l) {
    if constexpr (!(Component::propagates_nan || ...)) {
      const bool met = __builtin_isunordered(x[l], x[l + next]);
      nan_seen[l] |= met ? flag_of<T>{-1} : flag_of<T>{0};
    }
    (component.template append<Begin>(l, x, next, index), ...);
  }
}

/// Appends rows `first`, .. of the tiles that are reduced together, one after another, to all
/// components, or starts them with the very first row.
template <bool Begin, int Lanes, int Half, class T, int... Row, class... Component>
[[gnu::always_inline]] inline void append_turn(const T* x, int next, index_t index,
                                               lane_array<flag_of<T>, Half>& nan_seen, int first,
                                               std::integer_sequence<int, Row...>,
                                               Component&... component) {
  const auto append = [&]<int R>(std::integral_constant<int, R>) {
    const int at = (first + R) * Lanes;
    constexpr bool begins = Begin && R == 0;
    append_row<begins, Half>(x + at, next, index + at, nan_seen, component...);
  };
  (append(std::integral_constant<int, Row>{}), ...);
}

/// Rows per iteration: four, to amortise the loop's overhead, if no comparison for NaN needs the
/// registers.
template <class... Component>
inline constexpr int rows_per_iteration = (Component::propagates_nan || ...) ? 4 : 1;

/// Accumulates the tiles at x that are reduced together. Terms from memory are prefetched at once,
/// terms from shared caches row by row.
template <int Lanes, data_location From, int Half, class T, class... Component>
[[gnu::always_inline]] inline void accumulate_tiles(const T* x, index_t index,
                                                    lane_array<flag_of<T>, Half>& nan_seen,
                                                    Component&... component) {
  constexpr int together = 2 * Half / Lanes;
  constexpr int tile = Lanes * canonical::rows;
  constexpr int next = together == 1 ? Half : tile;
  constexpr int rows = rows_per_iteration<Component...>;
  if (From == data_location::dram) prefetch_ahead(x, together * tile * sizeof(T));
  constexpr std::make_integer_sequence<int, rows> turn{};
  append_turn<true, Lanes, Half>(x, next, index, nan_seen, 0, turn, component...);
  for (int row = rows; row < canonical::rows; row += rows) {
    optimization_barrier(row);
    for (int t = 0; t < together && From == data_location::shared_cache; ++t)
      prefetch_ahead(x + row * Lanes + t * tile, rows * Lanes * sizeof(T));
    append_turn<false, Lanes, Half>(x, next, index, nan_seen, row, turn, component...);
  }
}

/// Whether there is a NaN among the `count` numbers at x, given the lanes' flags and the reduced
/// components.
template <int Half, class T, class... Component>
[[gnu::always_inline]] inline bool has_seen_nan(const T* x, int count,
                                                const lane_array<flag_of<T>, Half>& nan_seen,
                                                const Component&... component) {
  if constexpr ((Component::propagates_nan || ...)) {
    return (component.may_have_seen_nan() || ...) && has_nan(x, count);
  } else {
    flag_of<T> any = 0;
    for (int l = 0; l < Half; ++l) any |= nan_seen[l];
    return any != 0;
  }
}

/// Reduces `Tiles` whole tiles of the numbers at x, all components in one pass, each with the bits
/// of a separate reduction. A NaN in any tile makes minimum and maximum of the whole NaN.
template <int Lanes, data_location From, int Tiles, class T, class R, int... Position>
typename R::accumulator reduce_fused_batch(const T* x, index_t index, const R& reducer,
                                           std::integer_sequence<int, Position...>) {
  constexpr int tile = Lanes * canonical::rows;
  constexpr int together = tiles_together<T, Lanes>;
  constexpr int half = together * Lanes / 2;
  const auto reduce = [&](auto&&... component) __attribute__((always_inline)) {
    lane_array<flag_of<T>, half> nan_seen;
    for (int l = 0; l < half; ++l) nan_seen[l] = 0;
    for (int t = 0; t < Tiles; t += together) {
      accumulate_tiles<Lanes, From, half>(x + t * tile, index + t * tile, nan_seen, component...);
      (component.finish(t), ...);
    }
    (component.combine(), ...);
    const bool met = has_seen_nan<half>(x, Tiles * tile, nan_seen, component...);
    return join_components(reducer, component.folded(met)...);
  };
  return reduce(batch_component<decltype(component_reducer<Position>(reducer)), Lanes, Tiles, half>(
      component_reducer<Position>(reducer))...);
}

}  // namespace tandem::openmp_impl
