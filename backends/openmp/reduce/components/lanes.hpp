// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/components/fused.hpp>
#include <tandem/backends/openmp/reduce/components/number_lanes.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/core/reducers/combined.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// Tiles whose lanes are an array for each component: compilers vectorise loops over these, but not
/// over lanes that are tuples of many values or of different sizes.
namespace tandem::openmp_impl {

/// Whether tiles of several results are reduced in this way: all components have such lanes, and
/// the terms that they keep fit the L1.
template <class R>
inline constexpr bool takes_component_lanes = false;
template <std::floating_point T>
inline constexpr bool takes_component_lanes<minmax<T>> = true;
template <class... R>
inline constexpr bool takes_component_lanes<combined_reducer<R...>> =
    (is_component<R> && ...) && sizeof(typename combined_reducer<R...>::accumulator) <= 256 &&
    (kept_bytes<R> + ... + 0) * canonical::tile<combined_reducer<R...>> <= 24576;

/// Whether components keep terms.
template <class R>
inline constexpr bool keeps_terms = kept_bytes<R> > 0;
template <class... R>
inline constexpr bool keeps_terms<combined_reducer<R...>> = ((kept_bytes<R> > 0) || ...);

/// Lanes of each component. If no order of combining changes a bit, one is enough, whose loop
/// compilers vectorise. SSE2 has no minimum of 32-bit integers: the chain of its instructions is
/// long, and two chains overlap.
template <class R>
inline constexpr int component_lane_count =
    order_free<R> && !keeps_terms<R> ? (vector_bytes == 16 ? 2 : 1) : canonical::lanes<R>;
template <class R>
inline constexpr bool has_free_lanes = component_lane_count<R> <= 2;

template <class R>
consteval std::size_t find_lane_size() {
  if constexpr (is_argminmax<R>) {
    return find_lane_size<typename value_reducer<R>::type>();
  } else {
    return (is_float_minmax<R> ? 2 : 1) * sizeof(typename R::accumulator);
  }
}

/// Bytes that one lane of R has.
template <class R>
inline constexpr std::size_t lane_size = find_lane_size<R>();
template <class T>
inline constexpr std::size_t lane_size<minmax<T>> = 3 * sizeof(T);
template <class... R>
inline constexpr std::size_t lane_size<combined_reducer<R...>> = (lane_size<R> + ... + 0);

/// Whether the lanes of all components stay in registers from row to row: those of AVX-512, of
/// which 8 are left for other values. clang 14 keeps them in memory.
#if defined(__clang__)
template <class R>
inline constexpr bool fits_registers = false;
#else
template <class R>
inline constexpr bool fits_registers = vector_bytes == 64 && !keeps_terms<R> &&
                                       lane_size<R> * canonical::lanes<R> <= 24 * vector_bytes;
#endif

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

template <int Position, class Component, class... Term>
[[gnu::always_inline]] inline void append_component(Component& component, int l, int row,
                                                    const Term&... term) {
  component.append(l, row, component_of<Position>(term)...);
}

/// Calls fill(begin, append) and returns what the `count` terms that it appends to the lanes reduce
/// to. If components keep terms, begin(term) comes first, with the first of them. append(l, row,
/// term..) appends one or two terms to lane l, the first of which is in row `row`.
template <int Lanes, class Fill, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_in_components(const Fill& fill,
                                                                           int count,
                                                                           const R& reducer) {
  if constexpr (is_component<R>) {
    component_lanes<R, Lanes> component(reducer);
    component.clear();
    fill([&](const auto& term) { component.begin(term); },
         [&](int l, int row, const auto&... term)
             __attribute__((always_inline)) { component.append(l, row, term...); });
    return component.total(count);
  } else {
    const auto reduce = [&]<int... Position>(std::integer_sequence<int, Position...>,
                                             auto&&... component) __attribute__((always_inline)) {
      (component.clear(), ...);
      fill([&](const auto& term) { (component.begin(component_of<Position>(term)), ...); },
           [&](int l, int row, const auto&... term) __attribute__((always_inline)) {
             (append_component<Position>(component, l, row, term...), ...);
           });
      return join_components(reducer, component.total(count)...);
    };
    return [&]<int... Position>(std::integer_sequence<int, Position...> positions) {
      return reduce(positions,
                    component_lanes<decltype(component_reducer<Position>(reducer)), Lanes>(
                        component_reducer<Position>(reducer))...);
    }(std::make_integer_sequence<int, component_count<R>>{});
  }
}

/// Appends `length` terms to the lanes of a tile that has `done` terms: term(i, offset) is term
/// i + offset of them. A lane's accumulators are loaded and stored once for several rows if they
/// stay in registers, else for a pair. Functions read from several arrays, of which the hardware
/// prefetcher does not follow more rows than two.
template <int Lanes, bool InRegisters, class Term, class Append>
[[gnu::always_inline]] inline void append_terms(const Term& term, int done, int length,
                                                const Append& append) {
  if constexpr (Lanes <= 2) {
    const int part = length / Lanes;
    for (int i = 0; i < part; ++i) {
      append(0, 0, term(i, 0));
      if constexpr (Lanes == 2) append(1, 0, term(i, part));
    }
    for (int i = part * Lanes; i < length; ++i) append(0, 0, term(i, 0));
    return;
  }
  for (int first = 0; first < length;) {
    const int row = (done + first) / Lanes;
    const int lane = (done + first) % Lanes;
    if (InRegisters && lane == 0 && length - first >= 4 * Lanes) {
      for (; length - first >= Lanes; first += Lanes) {
        int at = first;
        optimization_barrier(at);
        for (int l = 0; l < Lanes; ++l) append(l, 0, term(at + l, 0));
      }
    } else if (lane == 0 && length - first >= 2 * Lanes) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int l = 0; l < Lanes; ++l) append(l, row, term(first + l, 0), term(first + l, Lanes));
      first += 2 * Lanes;
    } else {
      const int count = length - first < Lanes - lane ? length - first : Lanes - lane;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < count; ++i) append(lane + i, row, term(first + i, 0));
      first += count;
    }
  }
}

/// Reduces 1 <= count terms, at most those of a tile unless lanes are free.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_component_tile(const Terms& terms,
                                                                            int count,
                                                                            const R& reducer) {
  const auto fill = [&](const auto& begin, const auto& append) __attribute__((always_inline)) {
    if constexpr (keeps_terms<R>) {
      const auto first = terms(0);
      begin(first);
      append(0, 0, first);
    }
    constexpr int done = keeps_terms<R> ? 1 : 0;
    if (count == done) return;
    const Terms rest = terms.from(done, count - done);
    append_terms<Lanes, fits_registers<R>>([&](int i, int offset) { return rest(i, offset); }, done,
                                           count - done, append);
  };
  return reduce_in_components<Lanes>(fill, count, reducer);
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
  const auto fill = [&](const auto& begin, const auto& append) __attribute__((always_inline)) {
    int done = 0;
    const auto move = [&](int length) {
      done += length;
      at.column += length;
      if (at.column == width) at = {at.row + 1, 0};
    };
    if constexpr (keeps_terms<R>) {
      load.with_row(at.row, [&](const auto& term) {
        const auto first = term(static_cast<Index>(at.column));
        begin(first);
        append(0, 0, first);
      });
      move(1);
    }
    while (done < count) {
      const index_t in_row = width - at.column;
      const int length = in_row < count - done ? static_cast<int>(in_row) : count - done;
      load.with_row(
          at.row, [&, done, length, column = static_cast<Index>(at.column) ](
                      const auto& term) __attribute__((always_inline)) {
            append_terms<Lanes, fits_registers<R>>(
                [&, column](int i, int offset) {
                  return term(static_cast<Index>(column + static_cast<Index>(i + offset)));
                },
                done, length, append);
          });
      move(length);
    }
  };
  return reduce_in_components<Lanes>(fill, count, reducer);
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
