// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/components/fused.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// Tiles with several results that are reduced one after another, from buffers if need be.
namespace tandem::openmp_impl {

/// Whether a tile of these terms is reduced component by component. Terms that are not numbers in
/// memory are buffered on the thread's stack, so only as many as it has room for.
template <class Terms, int Lanes, class R>
inline constexpr bool takes_components =
    reduces_componentwise<R> &&
    (is_plain_array<Terms> ||
     sizeof(typename R::accumulator) * std::size_t{Lanes * canonical::rows} <= 24576);

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// Room for one component of a tile's terms.
template <class A, int Count>
struct component_buffer {
  A of[static_cast<std::size_t>(Count)];
};

/// Reduces a tile component by component, by reduce(terms, reducer): numbers in memory in place,
/// other terms from buffers in L1, into which each term is computed once.
template <int Lanes, class Terms, class R, class Reduce, int... Position>
typename R::accumulator reduce_components(const Terms& terms, const R& reducer,
                                          const Reduce& reduce,
                                          std::integer_sequence<int, Position...>) {
  if constexpr (is_plain_array<Terms>) {
    const auto reduce_one = [&](const auto& component) {
      const auto load = with_reducer(terms.load, component);
      using Load = std::remove_const_t<decltype(load)>;
      return reduce(tile_loader<Load>{load, terms.first()}, component);
    };
    return join_components(reducer, reduce_one(component_reducer<Position>(reducer))...);
  } else {
    constexpr int count = Lanes * canonical::rows;
    tuple<component_buffer<decltype(component_of<Position>(reducer.identity())), count>...> buffers;
    const Terms tile = terms.from(0, count);
    for (int i = 0; i < count; ++i) {
      const auto term = tile(i);
      ((tandem::get<std::size_t{Position}>(buffers).of[i] = component_of<Position>(term)), ...);
    }
    const auto reduce_stored = [&](const auto& buffer, const auto& component) {
      using Load = stored_load<std::remove_cvref_t<decltype(buffer.of[0])>>;
      const Load load{buffer.of};
      return reduce(tile_loader<Load>{load, 0}, component);
    };
    return join_components(reducer, reduce_stored(tandem::get<std::size_t{Position}>(buffers),
                                                  component_reducer<Position>(reducer))...);
  }
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
