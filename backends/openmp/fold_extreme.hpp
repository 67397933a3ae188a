// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/extreme_tile.hpp>

namespace tandem::openmp_impl {

/// For minimum_at<T> and maximum_at<T> of numbers: what finds the value alone.
template <class R>
struct value_reducer {
  static constexpr bool exists = false;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct value_reducer<minimum_at<T>> {
  static constexpr bool exists = true;
  using number = T;
  using type = minimum<T>;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct value_reducer<maximum_at<T>> {
  static constexpr bool exists = true;
  using number = T;
  using type = maximum<T>;
};

/// Whether R is minimum_at<T> or maximum_at<T> of numbers. Their order cannot show in the result.
template <class R>
inline constexpr bool locates_extreme = value_reducer<R>::exists;

/// Calls run(values) with the numbers of `count` terms as a function object of their positions:
/// those in memory as they lie, others computed once into L1.
template <int Count, class T, class R, class Run>
[[gnu::always_inline]] inline auto with_values(const tile_terms<contiguous_load<T, R>>& terms, int,
                                               const Run& run) {
  using Load = contiguous_load<T, typename value_reducer<R>::type>;
  const Load load{terms.load.data, {}};
  return run(tile_terms<Load>{load, terms.first()});
}
template <int Count, class Load, class Run>
[[gnu::always_inline]] inline auto with_values(const tile_terms<Load>& all, int count,
                                               const Run& run) {
  using T = decltype(all(0).value);
  T value[static_cast<std::size_t>(Count)];
  const tile_terms<Load> terms = all.from(0, count);
  value[0] = terms(0).value;
  for (int i = 1; i < count; ++i) value[i] = terms(i).value;
  const stored_load<T> load{value};
  return run(tile_terms<stored_load<T>>{load, 0});
}

/// Whether an extreme of later terms replaces the best so far: the first NaN wins over everything,
/// and is never replaced.
template <class R, class T>
bool replaces(T later, T best) {
  const typename value_reducer<R>::type order;
  if (is_nan(best)) return false;
  return is_nan(later) || (later != best && order.combine(best, later) == later);
}

/// First position of a number that is there; the first NaN for NaN.
template <class T, class Values>
int position_of(T number, const Values& values, int count) {
  constexpr int step = 64;
  const auto matches = [number](T value) {
    return is_nan(number) ? is_nan(value) : value == number;
  };
  int at = 0;
  for (; at + step <= count; at += step) {
    int hits = 0;
    for (int l = 0; l < step; ++l) hits |= static_cast<int>(matches(values(at, l)));
    if (hits != 0) break;
  }
  while (!matches(values(at))) ++at;
  return at;
}

/// Numbers that fold_extreme searches at a time.
template <class T>
inline constexpr int extreme_block = canonical::lanes<T> * canonical::rows;

/// Calls run(terms, values, count) with the block of terms from `begin` on, which ends at `end` at
/// the latest.
template <class Load, class R, class Run>
[[gnu::always_inline]] inline void with_extreme_block(const Load& load, index_t begin, index_t end,
                                                      const R&, const Run& run) {
  constexpr int block = extreme_block<typename value_reducer<R>::number>;
  const int count = end - begin < block ? static_cast<int>(end - begin) : block;
  const tile_terms<Load> terms{load, begin};
  with_values<block>(terms, count, [&](const auto& values) { run(terms, values, count); });
}

/// Extreme of the terms first to end - 1 and where it stands. The values alone are searched as
/// vectors; the position is looked for in one block at last, or in each that improves on what came
/// before where a second look would compute terms again.
template <class Load, class R>
typename R::accumulator fold_extreme(const Load load, index_t first, index_t end,
                                     const R& reducer) {
  using T = typename value_reducer<R>::number;
  const typename value_reducer<R>::type order;
  typename R::accumulator best = reducer.identity();
  index_t found = end;  // where the block of the best begins
  const auto locate = [&](const auto& terms, const auto& values, int count) {
    const int at = position_of(best.value, values, count);
    best = {values(at), terms.index(at)};
  };
  const auto search = [&](const auto& terms, const auto& values, int count) {
    const T extreme = count == extreme_block<T> ? fold_tile<canonical::lanes<T>>(values, order)
                                                : fold_last_tile(values, count, order);
    if (found != end && !replaces<R>(extreme, best.value)) return;
    best.value = extreme;
    found = first;
    if constexpr (!reads_memory<Load>) locate(terms, values, count);
  };
  for (; first < end; first += extreme_block<T>)
    with_extreme_block(load, first, end, reducer, search);
  if (reads_memory<Load> && found != end) with_extreme_block(load, found, end, reducer, locate);
  return best;
}

}  // namespace tandem::openmp_impl
