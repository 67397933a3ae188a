// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>

#include <type_traits>
#include <utility>

/// Reduces few terms in registers, as segments and rows have them.
namespace tandem::openmp_impl {

/// Combines lane l with lane l + Width / 2, and so on until one is left. Indices are constants, so
/// that lanes stay in registers at any level of optimisation. combine_lanes(), for whole tiles, has
/// loops instead, which are vectorised.
template <int Width, class T, class R>
[[gnu::always_inline]] inline T halve_lanes(T* lane, const R& reducer) {
  if constexpr (Width == 1) {
    return lane[0];
  } else {
    constexpr int half = Width / 2;
    const auto combine = [&]<int... L>(std::integer_sequence<int, L...>)
        __attribute__((always_inline)) {
      ((lane[L] = reducer.combine(lane[L], lane[L + half])), ...);
    };
    combine(std::make_integer_sequence<int, half>{});
    return halve_lanes<half>(lane, reducer);
  }
}

/// The canonical combination of Half < count <= 2 Half terms, of which each of Half lanes has one
/// or two.
template <int Half, class Load, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_halves(const Load& load, index_t begin,
                                                                  int count, const R& reducer) {
  const auto fold = [&]<int... L>(std::integer_sequence<int, L...>) __attribute__((always_inline)) {
    typename R::accumulator lane[] = {load(begin + L)...};
    const auto add_second = [&](int l) __attribute__((always_inline)) {
      if (l + Half >= count) return false;
      lane[l] = reducer.combine(lane[l], load(begin + Half + l));
      return true;
    };
    static_cast<void>((add_second(L) && ...));
    return halve_lanes<Half>(lane, reducer);
  };
  return fold(std::make_integer_sequence<int, Half>{});
}

/// Most terms that fold_few_terms() takes: a row of lanes, or a segment of the ordered shape.
/// Accumulators that are not numbers may take much code to combine; large ones do not fit
/// registers.
template <class R>
inline constexpr int most_few_terms = [] {
  using T = typename R::accumulator;
  if (sizeof(T) > 16) return 0;
  return R::commutative && std::is_arithmetic_v<T> ? canonical::lanes<R> : canonical::segment;
}();

/// The canonical combination of 1 to most_few_terms<R> terms by the ordered shape.
template <class Load, class R>
  requires(!R::commutative)
typename R::accumulator fold_few_terms(const Load& shared, index_t begin, int count,
                                       const R& reducer) {
  const Load load = shared;
  typename R::accumulator folded = load(begin);
  for (int i = 1; i < count; ++i) folded = reducer.combine(folded, load(begin + i));
  return folded;
}

/// The canonical combination of the terms l, l + 8, l + 16, .. of 32 < count <= 64.
template <class Load, class R>
[[gnu::always_inline]] inline typename R::accumulator fold_every_eighth(const Load& load,
                                                                        index_t begin, int l,
                                                                        int count,
                                                                        const R& reducer) {
  const auto pair = [&](int first) __attribute__((always_inline)) {
    const typename R::accumulator folded = load(begin + first);
    return first + 32 < count ? reducer.combine(folded, load(begin + first + 32)) : folded;
  };
  return reducer.combine(reducer.combine(pair(l), pair(l + 16)),
                         reducer.combine(pair(l + 8), pair(l + 24)));
}

/// The canonical combination of 1 to most_few_terms<R> terms by the commutative shape.
template <class Load, class R>
typename R::accumulator fold_few_terms(const Load& shared, index_t begin, int count,
                                       const R& reducer) {
  const Load load = shared;
  if constexpr (most_few_terms<R> > 32) {
    if (count > 32) {  // less code than fold_halves<32>()
      typename R::accumulator lane[8];
      for (int l = 0; l < 8; ++l) lane[l] = fold_every_eighth(load, begin, l, count, reducer);
      return halve_lanes<8>(lane, reducer);
    }
  }
  if constexpr (most_few_terms<R> > 16) {
    if (count > 16) return fold_halves<16>(load, begin, count, reducer);
  }
  if (count > 8) return fold_halves<8>(load, begin, count, reducer);
  if (count > 4) return fold_halves<4>(load, begin, count, reducer);
  if (count > 2) return fold_halves<2>(load, begin, count, reducer);
  if (count > 1) return fold_halves<1>(load, begin, count, reducer);
  return load(begin);
}

}  // namespace tandem::openmp_impl
