// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/core/combined_reducer.hpp>

namespace tandem::openmp_impl {

/// Reducers whose accumulators are parts that are combined apart: each part of a tile can be folded
/// on its own, which compilers make vectors of where they do not of accumulators as they are.
template <class R>
inline constexpr int component_count = 0;
template <std::floating_point T>
inline constexpr int component_count<minmax<T>> = 2;
template <class... R>
inline constexpr int component_count<combined_reducer<R...>> = int{sizeof...(R)};

template <class R>
inline constexpr bool reduces_componentwise = is_float_minmax<R> || is_argminmax<R>;
template <std::floating_point T>
inline constexpr bool reduces_componentwise<minmax<T>> = true;
template <class... R>
inline constexpr bool reduces_componentwise<combined_reducer<R...>> =
    (reduces_componentwise<R> || ...);

/// Whether all parts can be folded in the same pass over numbers of type T in memory, where one
/// comparison looks out for NaN for all of them. A position is found in a search of its own.
template <class R, class T>
inline constexpr bool is_fusable = false;
template <std::floating_point T>
inline constexpr bool is_fusable<minmax<T>, T> = true;
template <class... R, std::floating_point T>
inline constexpr bool is_fusable<combined_reducer<R...>, T> =
    ((component_count<R> == 0 && !is_argminmax<R>)&&...);

/// Reducer number I of them.
template <int I, class T>
auto component_reducer(const minmax<T>&) {
  return std::conditional_t<I == 0, minimum<T>, maximum<T>>{};
}
template <int I, class... R>
auto component_reducer(const combined_reducer<R...>& reducer) {
  return tandem::get<std::size_t{I}>(reducer.reducers);
}

/// Its part of an accumulator.
template <int I, class T>
T component_of(const min_max_values<T>& a) {
  return I == 0 ? a.minimum : a.maximum;
}
template <int I, class... A>
auto component_of(const tuple<A...>& a) {
  return tandem::get<std::size_t{I}>(a);
}

template <class T>
min_max_values<T> join_components(const minmax<T>&, T low, T high) {
  return {low, high};
}
template <class... R, class... A>
tuple<A...> join_components(const combined_reducer<R...>&, A... part) {
  return tandem::make_tuple(part...);
}

}  // namespace tandem::openmp_impl
