// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>

namespace tandem::openmp_impl {

/// Maps minloc<T> and maxloc<T> of numbers to the reducer that finds only the value.
template <class R>
struct value_reducer {
  static constexpr bool exists = false;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct value_reducer<minloc<T>> {
  static constexpr bool exists = true;
  using number = T;
  using type = minimum<T>;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct value_reducer<maxloc<T>> {
  static constexpr bool exists = true;
  using number = T;
  using type = maximum<T>;
};

/// Whether R is minloc<T> or maxloc<T> of numbers, whose result does not depend on the order of
/// combining.
template <class R>
inline constexpr bool is_argminmax = value_reducer<R>::exists;

/// Calls run(values, first) with the numbers of `count` >= 1 terms as a function object of their
/// positions, in place if they are in memory, otherwise computed once into L1, and with the index
/// of the first term. Only the term itself knows that index: its load may be a shifted one.
template <int Count, class T, class R, class Run>
[[gnu::always_inline]] inline auto with_values(const tile_loader<contiguous_load<T, R>>& terms, int,
                                               const Run& run) {
  using Load = contiguous_load<T, typename value_reducer<R>::type>;
  const Load load{terms.load.data, {}};
  return run(tile_loader<Load>{load, terms.first()}, terms(0).index);
}
template <int Count, class Load, class Run>
[[gnu::always_inline]] inline auto with_values(const tile_loader<Load>& all, int count,
                                               const Run& run) {
  using T = decltype(all(0).value);
  T value[static_cast<std::size_t>(Count)];
  const tile_loader<Load> terms = all.from(0, count);
  const auto first = terms(0);
  value[0] = first.value;
  for (int i = 1; i < count; ++i) value[i] = terms(i).value;
  const stored_load<T> load{value};
  return run(tile_loader<stored_load<T>>{load, 0}, first.index);
}

/// Whether the extreme of later terms replaces the best so far: the first NaN takes precedence over
/// everything and is never replaced.
template <class R, class T>
bool replaces(T later, T best) {
  const typename value_reducer<R>::type order;
  if (is_nan(best)) return false;
  return is_nan(later) || (later != best && order.combine(best, later) == later);
}

/// Returns the first position of a number that is among the values; for NaN, that of the first NaN.
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

/// Numbers that are searched at a time: those of a tile.
template <class T>
inline constexpr int argminmax_tile = canonical::lanes_of(sizeof(T)) * canonical::rows;
/// Numbers that are searched at a time if they are contiguous in a cache: more of them amortise the
/// work after each block's loop.
template <class T>
inline constexpr int argminmax_block = 2 * argminmax_tile<T>;

/// Calls run(values, first, count) with the block of at most `Block` terms from `begin` on, before
/// `end`.
template <int Block, class Load, class Run>
[[gnu::always_inline]] inline void with_block(const Load& load, index_t begin, index_t end,
                                              const Run& run) {
  const int count = end - begin < Block ? static_cast<int>(end - begin) : Block;
  const tile_loader<Load> terms{load, begin};
  with_values<Block>(terms, count,
                     [&](const auto& values, index_t first) { run(values, first, count); });
}

/// Returns the minimum or maximum of `count` numbers, in any order.
template <class T, class Values, class R>
[[gnu::always_inline]] inline T minmax_of(const Values& values, int count, const R& order) {
  constexpr int lanes = canonical::lanes_of(sizeof(T));
  if (count < argminmax_tile<T>) return reduce_partial_tile(values, count, order);
  if (count == argminmax_tile<T>) return reduce_whole_rows<lanes, canonical::rows>(values, order);
  return reduce_whole_rows<lanes, argminmax_block<T> / lanes>(values, order);
}

/// Finds the minimum or maximum of a load's terms and its position, block by block. Only the values
/// are searched, in vectors. The position is looked up at the end, in the one block that contains
/// it. If a second look would compute terms again, each block that improves on its predecessors is
/// looked up at once.
template <class Load, class R>
class argminmax_search {
  using T = typename value_reducer<R>::number;

 public:
  argminmax_search(const Load& load, index_t end, const R& reducer)
      : load_(load), end_(end), found_(end), best_(reducer.identity()) {}

  /// Searches the block of at most `Block` terms at `begin`.
  template <int Block>
  [[gnu::always_inline]] void search(index_t begin) {
    const typename value_reducer<R>::type order;
    const auto find = [&](const auto& values, index_t first, int count) {
      const T extreme = minmax_of<T>(values, count, order);
      if (found_ != end_ && !replaces<R>(extreme, best_.value)) return;
      best_.value = extreme;
      found_ = begin;
      if constexpr (!reads_memory<Load>) locate(values, first, count);
    };
    with_block<Block>(load_, begin, end_, find);
  }

  /// Returns the result of all searches, of blocks of at most `Block` terms.
  template <int Block>
  [[gnu::always_inline]] typename R::accumulator result() {
    if constexpr (reads_memory<Load>) {
      const auto look = [&](const auto& values, index_t first, int count) {
        locate(values, first, count);
      };
      if (found_ != end_) with_block<Block>(load_, found_, end_, look);
    }
    return best_;
  }

 private:
  template <class Values>
  [[gnu::always_inline]] void locate(const Values& values, index_t first, int count) {
    const int at = position_of(best_.value, values, count);
    best_ = {values(at), first + at};
  }

  const Load& load_;
  index_t end_;
  index_t found_;  // begin of the block that contains the best
  typename R::accumulator best_;
};

/// Returns the minimum or maximum of the terms first to end - 1 and its position. Terms from memory
/// are prefetched tile by tile.
template <class Load, class R>
typename R::accumulator reduce_argminmax(const Load load, index_t first, index_t end,
                                         const R& reducer, data_location from) {
  using T = typename value_reducer<R>::number;
  constexpr bool is_dense = bytes_of_term<Load> != 0;
  constexpr int tile = argminmax_tile<T>;
  constexpr int block = is_dense ? argminmax_block<T> : tile;
  argminmax_search<Load, R> extreme(load, end, reducer);
  for (; is_dense && from != data_location::dram && end - first >= block; first += block)
    extreme.template search<block>(first);
  for (; first < end; first += tile) {
    if constexpr (is_dense) {
      if (from == data_location::dram) prefetch_ahead(load.data + first, tile * sizeof(T));
    }
    extreme.template search<tile>(first);
  }
  return extreme.template result<block>();
}

}  // namespace tandem::openmp_impl
