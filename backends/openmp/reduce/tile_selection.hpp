// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/fused_tile.hpp>

#include <utility>

namespace tandem::openmp_impl {

template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_any_tile(const Terms& terms,
                                                                    const R& reducer);

/// Folds one part of the terms, which lie in memory.
template <int Lanes, int I, class T, class R>
auto fold_part(const tile_loader<contiguous_load<T, R>>& terms, const R& reducer) {
  const auto part = component_reducer<I>(reducer);
  using Load = contiguous_load<T, std::remove_const_t<decltype(part)>>;
  const Load load{terms.load.data, part};
  return fold_any_tile<Lanes>(tile_loader<Load>{load, terms.first()}, part);
}

template <class T>
inline constexpr bool is_plain_array = false;
template <class T, class R>
inline constexpr bool is_plain_array<tile_loader<contiguous_load<T, R>>> = std::is_arithmetic_v<T>;

template <class Terms>
inline constexpr bool is_fused = false;
template <class T, class R>
inline constexpr bool is_fused<tile_loader<contiguous_load<T, R>>> = is_fusable<R, T>;

/// The parts of a tile's terms.
template <class A, int Count>
struct component_buffer {
  A of[static_cast<std::size_t>(Count)];
};

/// Folds part by part: numbers in memory in one pass or directly, else from buffers in L1 where
/// each term is computed once.
template <int Lanes, class Terms, class R, int... I>
typename R::accumulator fold_split_tile(const Terms& terms, const R& reducer,
                                        std::integer_sequence<int, I...>) {
  if constexpr (is_fused<Terms>) {
    return fold_joint_tile<Lanes>(terms.load.data + terms.first(), terms.first(), reducer,
                                  std::integer_sequence<int, I...>{});
  } else if constexpr (is_plain_array<Terms>) {
    return join_components(reducer, fold_part<Lanes, I>(terms, reducer)...);
  } else {
    constexpr int count = Lanes * canonical::rows;
    tuple<component_buffer<decltype(component_of<I>(reducer.identity())), count>...> parts;
    const Terms tile = terms.from(0, count);
    for (int i = 0; i < count; ++i) {
      const auto term = tile(i);
      ((tandem::get<std::size_t{I}>(parts).of[i] = component_of<I>(term)), ...);
    }
    const auto fold_stored = [](const auto& part, const auto& each) {
      using Load = stored_load<std::remove_cvref_t<decltype(part.of[0])>>;
      const Load load{part.of};
      return fold_any_tile<Lanes>(tile_loader<Load>{load, 0}, each);
    };
    return join_components(
        reducer, fold_stored(tandem::get<std::size_t{I}>(parts), component_reducer<I>(reducer))...);
  }
}

/// Folds a whole tile in the way that is fastest for the reducer.
template <int Lanes, class Terms, class R>
inline typename R::accumulator fold_any_tile(const Terms& terms, const R& reducer) {
  if constexpr (component_count<R> > 0 && reduces_componentwise<R>) {
    return fold_split_tile<Lanes>(terms, reducer,
                                  std::make_integer_sequence<int, component_count<R>>{});
  } else if constexpr (is_argminmax<R>) {
    return fold_extreme(terms.load, terms.first(), terms.first() + Lanes * canonical::rows, reducer,
                        data_location::l2);
  } else {
    return fold_tile<Lanes>(terms, reducer);
  }
}

}  // namespace tandem::openmp_impl
