// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/terms.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem::openmp_impl {

/// Whether R is minimum_at<T> or maximum_at<T> of numbers.
template <class R>
inline constexpr bool locates_extreme = false;
template <class T>
inline constexpr bool locates_extreme<minimum_at<T>> = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool locates_extreme<maximum_at<T>> = std::is_arithmetic_v<T>;

/// Terms that fold_extreme looks at together: their values fill 4 or 8 KiB of L1.
inline constexpr int extreme_block = 1024;

template <class R, class T>
constexpr bool beats(T a, T b) {
  if constexpr (std::is_same_v<R, maximum_at<T>>) {
    return b < a;
  } else {
    return a < b;
  }
}

/// Most extreme of `count` numbers, or something else when one is NaN, which `found_nan` then says.
template <class R, class T>
T best_value(const T* value, int count, bool& found_nan) {
  constexpr int lanes = 64;
  T best[lanes];
  unsigned char nan[lanes] = {};
  for (int l = 0; l < lanes; ++l) best[l] = value[0];
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int l = 0; l < lanes; ++l) {
      const T v = value[i + l];
      best[l] = beats<R>(v, best[l]) ? v : best[l];
      nan[l] = static_cast<unsigned char>(nan[l] | (v != v));
    }
  }
  for (int l = 0; i < count; ++i, ++l) {
    best[l] = beats<R>(value[i], best[l]) ? value[i] : best[l];
    nan[l] = static_cast<unsigned char>(nan[l] | (value[i] != value[i]));
  }
  for (int l = 0; l < lanes; ++l) {
    best[0] = beats<R>(best[l], best[0]) ? best[l] : best[0];
    found_nan |= nan[l] != 0;
  }
  return best[0];
}

/// Extreme of the terms first to end - 1 and where it stands. Its order cannot show in the result,
/// so the values are searched as vectors, and for their position only where a block of them
/// improves on what came before.
template <class Load, class R>
typename R::accumulator fold_extreme(const Load load, index_t first, index_t end,
                                     const R& reducer) {
  using T = decltype(R{}.identity().value);
  typename R::accumulator best = reducer.identity();
  T value[extreme_block];
  for (index_t begin = first; begin < end; begin += extreme_block) {
    const int count = end - begin < extreme_block ? static_cast<int>(end - begin) : extreme_block;
    const tile_terms<Load> terms{load, begin};
    for (int i = 0; i < count; ++i) value[i] = terms(i).value;
    bool found_nan = false;
    const T extreme = best_value<R>(value, count, found_nan);
    if (begin > first && !found_nan && !beats<R>(extreme, best.value)) continue;
    int at = 0;
    while (found_nan ? value[at] == value[at] : value[at] != extreme) ++at;
    best = reducer.combine(best, {value[at], terms.index(at)});
  }
  return best;
}

}  // namespace tandem::openmp_impl
