// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/fused_tile.hpp>
#include <tandem/backends/openmp/reduce/pairwise_tree.hpp>

#include <utility>

namespace tandem::openmp_impl {

/// Whether tiles are folded jointly in batches: row by row, with all lanes in registers, of which
/// only AVX-512 has enough, and the lanes of many tiles combined at last in vectors. Sum, product,
/// minimum and maximum of 2^20 floats, by pairs of tiles and by batches of eight: 44 and 31 us on 2
/// threads of a Zen 5, 18.3 and 13.8 on 14 of a Xeon.
inline constexpr bool has_batches = vector_bytes == 64;

/// Levels of the tree in a batch of tiles of so many lanes. 2^16 floats in an L2, a core of a Zen
/// 5: the four results above (16 lanes) 2.57 us by batches of eight tiles, 2.35 of 16; smallest and
/// largest (32 lanes) 1.69 and 1.78.
template <int Lanes>
inline constexpr int batch_levels = Lanes <= 16 ? 4 : 3;

/// Tiles that are folded together. Where a row is one vector, a lane waits for its last sum before
/// it begins the next: two tiles take turns. Else memory is read in its order, smallest and largest
/// of 2^20 floats 27 us, 29 in turns.
template <class T, int Lanes>
inline constexpr int tiles_together = Lanes * sizeof(T) < 2 * vector_bytes ? 2 : 1;

/// The lanes of each tile, Width of them side by side, combined to one value a tile. Width by
/// width over all tiles, which compilers make whole vectors of.
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

/// Parts that are NaN wherever a term is. Not only there: infinities cancel out.
template <class R>
inline constexpr bool propagates_nan_of = false;
template <std::floating_point T>
inline constexpr bool propagates_nan_of<sum<T>> = true;
template <std::floating_point T>
inline constexpr bool propagates_nan_of<product<T>> = true;

/// One part of a batch: its reducer, the accumulators of the lanes that are folded together in two
/// halves (of a tile, or of two tiles), and the finished lanes of all tiles.
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

  /// Appends the number x[l], the index of x[0] being this, to lane l of the first half and x[l +
  /// next] to that of the second, or begins them.
  template <bool Begin, class T>
  [[gnu::always_inline]] void append(int l, const T* x, int next, index_t index) {
    const accumulator a = reducer.lift(x[l], index + l);
    const accumulator b = reducer.lift(x[l + next], index + l + next);
    first[l] = Begin ? a : component_order(reducer).combine(first[l], a);
    second[l] = Begin ? b : component_order(reducer).combine(second[l], b);
  }
  /// Keeps the lanes as those of this tile and what follows.
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
  /// Whether there may be a NaN among the terms, as far as this part tells.
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

/// Appends a row of each tile that is folded together, the first tile's at x, to all parts, or
/// begins them. Where a part tells of NaN, nothing else looks out for it.
template <bool Begin, int Half, class T, class... Part>
[[gnu::always_inline]] inline void append_row(const T* x, int next, index_t index,
                                              lane_array<flag_of<T>, Half>& nan_seen,
                                              Part&... part) {
  for (int l = 0; l < Half; ++l) {
    if constexpr (!(Part::propagates_nan || ...)) {
      const bool met = __builtin_isunordered(x[l], x[l + next]);
      nan_seen[l] |= met ? flag_of<T>{-1} : flag_of<T>{0};
    }
    (part.template append<Begin>(l, x, next, index), ...);
  }
}

/// Appends rows `first`, .. of the tiles that are folded together, one after the other, to all
/// parts, or begins them with the first of all.
template <bool Begin, int Lanes, int Half, class T, int... Row, class... Part>
[[gnu::always_inline]] inline void append_turn(const T* x, int next, index_t index,
                                               lane_array<flag_of<T>, Half>& nan_seen, int first,
                                               std::integer_sequence<int, Row...>, Part&... part) {
  (append_row < Begin && Row == 0,
   Half > (x + (first + Row) * Lanes, next, index + (first + Row) * Lanes, nan_seen, part...), ...);
}

/// Rows that a turn of the loop takes: four where that leaves out the loop's own work. Four results
/// of 2^16 floats in an L2, a core of a Zen 5: 2.87 us row by row, 2.54 by four rows; smallest and
/// largest, which also look out for NaN, 1.65 and 1.78.
template <class... Part>
inline constexpr int rows_a_turn = (Part::propagates_nan || ...) ? 4 : 1;

/// Folds the tiles at x that are folded together. What comes from memory is asked for at once, from
/// caches that cores share row by row: four results of 2^24 floats, 14 threads of a Xeon, 243 us,
/// 310 without. Smallest and largest of 2^24 floats from memory, 2 threads of a Zen 5: 1.52 and
/// 1.06 ms.
template <int Lanes, data_location From, int Half, class T, class... Part>
[[gnu::always_inline]] inline void fold_together(const T* x, index_t index,
                                                 lane_array<flag_of<T>, Half>& nan_seen,
                                                 Part&... part) {
  constexpr int together = 2 * Half / Lanes;
  constexpr int tile = Lanes * canonical::rows;
  constexpr int next = together == 1 ? Half : tile;
  constexpr int rows = rows_a_turn<Part...>;
  if (From == data_location::dram) prefetch_ahead(x, together * tile * sizeof(T));
  constexpr std::make_integer_sequence<int, rows> turn{};
  append_turn<true, Lanes, Half>(x, next, index, nan_seen, 0, turn, part...);
  for (int row = rows; row < canonical::rows; row += rows) {
    optimization_barrier(row);
    for (int t = 0; t < together && From == data_location::shared_cache; ++t)
      prefetch_ahead(x + row * Lanes + t * tile, rows * Lanes * sizeof(T));
    append_turn<false, Lanes, Half>(x, next, index, nan_seen, row, turn, part...);
  }
}

/// Whether there is a NaN among the `count` numbers at x, given the lanes' flags and the folded
/// parts.
template <int Half, class T, class... Part>
[[gnu::always_inline]] inline bool has_seen_nan(const T* x, int count,
                                                const lane_array<flag_of<T>, Half>& nan_seen,
                                                const Part&... part) {
  if constexpr ((Part::propagates_nan || ...)) {
    return (part.may_have_seen_nan() || ...) && has_nan(x, count);
  } else {
    flag_of<T> any = 0;
    for (int l = 0; l < Half; ++l) any |= nan_seen[l];
    return any != 0;
  }
}

/// Folds the parts of `Tiles` whole tiles of the numbers at x, the first of which has this index.
template <int Lanes, data_location From, int Tiles, int Half, class T, class R, class... Part>
[[gnu::always_inline]] inline typename R::accumulator fold_batch_parts(const T* x, index_t index,
                                                                       const R& reducer,
                                                                       Part&&... part) {
  constexpr int tile = Lanes * canonical::rows;
  lane_array<flag_of<T>, Half> nan_seen;
  for (int l = 0; l < Half; ++l) nan_seen[l] = 0;
  for (int t = 0; t < Tiles; t += 2 * Half / Lanes) {
    fold_together<Lanes, From, Half>(x + t * tile, index + t * tile, nan_seen, part...);
    (part.finish(t), ...);
  }
  (part.combine(), ...);
  const bool met = has_seen_nan<Half>(x, Tiles * tile, nan_seen, part...);
  return join_components(reducer, part.folded(met)...);
}

/// The subtree over `Tiles` whole tiles of numbers, all parts in one pass, each as it is folded
/// alone. A NaN in any tile makes extremes of the whole NaN.
template <int Lanes, data_location From, int Tiles, class T, class R, int... I>
typename R::accumulator fold_joint_batch(const T* x, index_t index, const R& reducer,
                                         std::integer_sequence<int, I...>) {
  constexpr int half = tiles_together<T, Lanes> * Lanes / 2;
  return fold_batch_parts<Lanes, From, Tiles, half>(
      x, index, reducer,
      batch_component<decltype(component_reducer<I>(reducer)), Lanes, Tiles, half>(
          component_reducer<I>(reducer))...);
}

}  // namespace tandem::openmp_impl
