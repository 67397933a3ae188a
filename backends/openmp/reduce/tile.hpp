// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/reducers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tandem::openmp_impl {

/// Loads the terms of a tile that begins at index `begin`, by position in the tile: an int, the
/// counter of every loop over a tile, so that compilers see contiguous loads. If a position is a
/// loop's variable plus a constant, the constant is passed separately, as `offset`.
template <class Load>
struct tile_loader {
  const Load& load;
  index_t begin;

  auto operator()(int position, int offset = 0) const { return load(begin + position + offset); }
  /// Whether `count` positions have an index, as from() requires.
  bool reaches(int) const { return true; }
  /// Returns the `count` terms from `position` on, which must exist.
  tile_loader from(int position, int) const { return {load, begin + position}; }
  index_t first() const { return begin; }
};

/// Loads the terms of a function, which is called with its own index type. How that index is
/// computed decides whether loads are vectorised. A signed sum cannot wrap around, so the addends
/// are cast. An unsigned one could, as far as a compiler knows, so the sum is cast, after the
/// compiler knows that it fits.
template <class Function, class Index, class R>
struct tile_loader<function_load<Function, Index, R>> {
  static constexpr bool may_wrap = std::is_unsigned_v<Index> && sizeof(Index) < sizeof(index_t);

  const function_load<Function, Index, R>& load;
  index_t base;

  tile_loader(const function_load<Function, Index, R>& of, index_t first)
      : load(of), base(of.begin + first) {}

  auto operator()(int position, int offset = 0) const {
    const index_t at = base + position + offset;
    if constexpr (std::is_unsigned_v<Index>) {
      return load.reducer.lift(load.function(static_cast<Index>(at)), at);
    } else {
      const auto i = static_cast<Index>(base);  // position + offset folds into one constant per row
      return load.reducer.lift(load.function(static_cast<Index>(i + (position + offset))), at);
    }
  }
  index_t first() const { return base - load.begin; }
  bool reaches([[maybe_unused]] int count) const {
    return !may_wrap ||
           base <= static_cast<index_t>(std::numeric_limits<Index>::max()) - (count - 1);
  }
  tile_loader from(int position, [[maybe_unused]] int count) const {
    tile_loader moved = *this;
    moved.base += position;
    if constexpr (may_wrap) {
      asm("" : "+r"(moved.base));  // else the range below is lost among the sums that make it up
      if (moved.base < 0 || !moved.reaches(count)) __builtin_unreachable();
    }
    return moved;
  }
};

/// Whether a term is one read of memory, not a function of unknown cost.
template <class Load>
inline constexpr bool reads_memory = false;
template <class T, class R>
inline constexpr bool reads_memory<contiguous_load<T, R>> = true;
template <class T, class R>
inline constexpr bool reads_memory<strided_load<T, R>> = true;

/// Whether terms whose accumulators are numbers are loaded one row after another instead of
/// `rows_at_once` rows per lane: not if the terms may be apart in memory.
template <class Terms>
inline constexpr bool loads_any_row = true;
template <class T, class R>
inline constexpr bool loads_any_row<tile_loader<strided_load<T, R>>> = false;

/// Rows that a lane accumulates at a time; the hardware prefetcher does not follow more.
template <class Terms>
inline constexpr int rows_at_once = 4;
template <class T, class R>
inline constexpr int rows_at_once<tile_loader<strided_load<T, R>>> = 2;

/// Bytes of memory that a term is read from, if known; 0 for a function.
template <class Load>
inline constexpr std::size_t bytes_of_term = 0;
template <class T, class R>
inline constexpr std::size_t bytes_of_term<contiguous_load<T, R>> = sizeof(T);

/// Loads terms that have been computed before.
template <class T>
struct stored_load {
  const T* data;

  T operator()(index_t i) const { return data[i]; }
};
template <class T>
inline constexpr bool reads_memory<stored_load<T>> = true;

template <class T>
struct tile_loader<stored_load<T>> {
  const stored_load<T>& load;
  index_t begin;

  T operator()(int position, int offset = 0) const { return load(begin + position + offset); }
  bool reaches(int) const { return true; }
  tile_loader from(int position, int) const { return {load, begin + position}; }
  index_t first() const { return begin; }
};

/// Hides a row's number from the compiler, so that rows stay in order: memory is then read
/// sequentially, which the hardware prefetcher follows best, and lanes stay in registers. g++ 12
/// otherwise combines pairs of rows into lanes in memory.
[[gnu::always_inline]] inline void optimization_barrier(int& row) { asm("" : "+r"(row)); }

/// Bytes of a vector register. It decides how many lanes are taken together, and no result depends
/// on it.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// The accumulators of a tile's lanes.
template <class T, int Lanes>
using lane_array = T[static_cast<std::size_t>(Lanes)];

/// Combines lane l with lane l + h for h = Width / 2, .., Left, until `Left` lanes remain. One
/// template per level, since loops of constant length are vectorised.
template <int Width, int Left = 1, class T, class R>
[[gnu::always_inline]] inline void combine_lanes(T* lane, const R& reducer) {
  if constexpr (Width > Left) {
    constexpr int half = Width / 2;
    for (int l = 0; l < half; ++l) lane[l] = reducer.combine(lane[l], lane[l + half]);
    combine_lanes<half, Left>(lane, reducer);
  }
}

/// Accumulates `rows` whole rows of terms in the lanes. The first two rows are combined at once:
/// g++ 12 copies a single row in pieces of 16 bytes, and wider loads would wait for them.
template <int Lanes, class Terms, class T, class R>
[[gnu::always_inline]] inline void accumulate_rows(const Terms& terms, int rows, T* lane,
                                                   const R& reducer) {
  if (rows == 1) {
    for (int l = 0; l < Lanes; ++l) lane[l] = terms(l);
    return;
  }
  const Terms top = terms.from(0, 2 * Lanes);
  for (int l = 0; l < Lanes; ++l) lane[l] = reducer.combine(top(l), top(l, Lanes));
  for (int row = 2; row < rows; ++row) {
    optimization_barrier(row);
    const Terms below = terms.from(row * Lanes, Lanes);
    for (int l = 0; l < Lanes; ++l) lane[l] = reducer.combine(lane[l], below(l));
  }
}

/// Appends the terms at position, position + Lanes, .. of `Rows` rows to a lane.
template <int Lanes, int Rows, class T, class Terms, class R>
[[gnu::always_inline]] inline T append_rows(T folded, const Terms& terms, int position, int offset,
                                            const R& reducer) {
  for (int row = 0; row < Rows; ++row)
    folded = reducer.combine(folded, terms(position, offset + row * Lanes));
  return folded;
}

/// Accumulates `Rows` whole rows in the lanes, a few rows of a lane at a time with its accumulator
/// in a register, which compilers vectorise if accumulators are objects.
template <int Lanes, int Rows, class Terms, class T, class R>
[[gnu::always_inline]] inline void accumulate_lanewise(const Terms& terms, T* lane,
                                                       const R& reducer) {
  constexpr int rows = rows_at_once<Terms>;
  static_assert(Rows % rows == 0);
  const Terms top = terms.from(0, rows * Lanes);
  for (int l = 0; l < Lanes; ++l)
    lane[l] = append_rows<Lanes, rows - 1>(top(l), top, l, Lanes, reducer);
  for (int row = rows; row < Rows; row += rows) {
    const Terms below = terms.from(row * Lanes, rows * Lanes);
    for (int l = 0; l < Lanes; ++l)
      lane[l] = append_rows<Lanes, rows>(lane[l], below, l, 0, reducer);
  }
}

/// Whether R is minimum<T> or maximum<T> of floating point. A tile of these is reduced by the order
/// of numbers alone, with one separate flag for NaN: a check in each step would dominate.
template <class R>
inline constexpr bool is_float_minmax = false;
template <std::floating_point T>
inline constexpr bool is_float_minmax<minimum<T>> = true;
template <std::floating_point T>
inline constexpr bool is_float_minmax<maximum<T>> = true;

/// Selects the smaller or larger of two numbers, the first if they are equal; one instruction per
/// vector.
template <class R>
struct number_order;
template <class T>
struct number_order<minimum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct number_order<maximum<T>> {
  using accumulator = T;
  T combine(T a, T b) const { return a < b ? b : a; }
};

/// An integer as wide as T, so that vectors have equally many lanes of both.
template <class T>
using flag_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Accumulates whole rows of numbers in the lanes, by the order of numbers alone. Returns whether
/// there is a NaN among them. The quarters of a row share the flags, whose bits are set until there
/// is one: that takes the fewest instructions. One comparison checks two numbers.
template <int Lanes, int Rows, class Terms, class T, class R>
[[gnu::always_inline]] inline bool accumulate_minmax(const Terms& terms, T* lane,
                                                     const R& reducer) {
  constexpr int width = Lanes / 4;
  const number_order<R> order;
  lane_array<flag_of<T>, width> all_ordered;
  for (int l = 0; l < Lanes; ++l) lane[l] = reducer.identity();
  for (int l = 0; l < width; ++l) all_ordered[l] = -1;
  for (int row = 0; row < Rows; ++row) {
    optimization_barrier(row);
    const Terms below = terms.from(row * Lanes, Lanes);
    for (int l = 0; l < width; ++l) {
      const T x[4] = {below(l), below(l, width), below(l, 2 * width), below(l, 3 * width)};
      const flag_of<T> flag = __builtin_isunordered(x[0], x[1]) ? 0 : all_ordered[l];
      all_ordered[l] = __builtin_isunordered(x[2], x[3]) ? 0 : flag;
      for (int q = 0; q < 4; ++q) lane[l + q * width] = order.combine(lane[l + q * width], x[q]);
    }
  }
  flag_of<T> all = -1;
  for (int l = 0; l < width; ++l) all &= all_ordered[l];
  return all == 0;
}

/// Reduces `Rows` whole rows in the order of the commutative shape: a tile, or more if the order of
/// combining changes nothing. A float minimum or maximum is NaN if one of the terms is.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_whole_rows(const Terms& terms,
                                                                        const R& reducer) {
  using T = typename R::accumulator;
  lane_array<T, Lanes> lane;
  if constexpr (is_float_minmax<R>) {
    const bool has_nan = accumulate_minmax<Lanes, Rows>(terms, lane, reducer);
    combine_lanes<Lanes>(lane, number_order<R>{});
    return has_nan ? std::numeric_limits<T>::quiet_NaN() : lane[0];
  } else if constexpr (std::is_arithmetic_v<T> && loads_any_row<Terms>) {
    accumulate_rows<Lanes>(terms, Rows, lane, reducer);
  } else {
    accumulate_lanewise<Lanes, Rows>(terms, lane, reducer);
  }
  combine_lanes<Lanes>(lane, reducer);
  return lane[0];
}

/// Accumulates the 1 <= count terms of a last tile in the lanes.
template <class Terms, class T, class R>
[[gnu::always_inline]] inline void accumulate_partial(const Terms& terms, int count, T* lane,
                                                      const R& reducer) {
  constexpr int lanes = canonical::lanes<R>;
  const int rows = count / lanes;
  const int rest = count % lanes;
  if (rows == 0) {
    lane[0] = terms(0);
    for (int l = 1; l < rest; ++l) lane[l] = terms(l);
    return;
  }
  accumulate_rows<lanes>(terms, rows, lane, reducer);
  if (rest == 0) return;
  const Terms last = terms.from(rows * lanes, rest);
  for (int l = 0; l < rest; ++l) lane[l] = reducer.combine(lane[l], last(l));
}

/// Combines the first `used` lanes; those after them have no terms.
template <int Lanes, class T, class R>
[[gnu::always_inline]] inline T combine_used_lanes(T* lane, int used, const R& reducer) {
  if (used >= Lanes) {
    combine_lanes<Lanes>(lane, reducer);
    return lane[0];
  }
  for (int h = Lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < used; ++l) lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// Reduces the last tile, of 1 <= count terms. Its loop knows that the indices fit, if that can be
/// shown.
template <class Terms, class R>
typename R::accumulator reduce_partial_tile(const Terms& all, int count, const R& reducer) {
  constexpr int lanes = canonical::lanes<R>;
  constexpr int tile = canonical::tile<R>;
  if (count > tile) __builtin_unreachable();
  const auto reduce = [ =, &reducer ](const Terms& terms) __attribute__((always_inline)) {
    lane_array<typename R::accumulator, lanes> lane;
    accumulate_partial(terms, count, lane, reducer);
    return combine_used_lanes<lanes>(lane, count, reducer);
  };
  return all.reaches(tile) ? reduce(all.from(0, tile)) : reduce(all);
}

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// The aligned pairwise tree of the canonical shape over values that arrive in order. Slot k holds
/// a finished subtree of 2^k values exactly if bit k of their count, below 2^Levels, is one.
template <class R, int Levels = 63>
class pairwise_tree {
  using T = typename R::accumulator;

 public:
  explicit pairwise_tree(const R& reducer) : reducer_(reducer) {}

  /// Adds a subtree of 2^level values; the number of values before it is a multiple of that.
  void push(T value, int level = 0) {
    int k = level;
    for (; (count_ >> k & 1) != 0; ++k) value = reducer_.combine(subtree_[k], value);
    subtree_[k] = value;
    count_ += 1ull << level;
  }

  /// Returns the root, after at least one push. A subtree without a sibling moves up a level
  /// unchanged.
  T root() const {
    int k = __builtin_ctzll(count_);
    T value = subtree_[k];
    for (++k; count_ >> k != 0; ++k) {
      if ((count_ >> k & 1) != 0) value = reducer_.combine(subtree_[k], value);
    }
    return value;
  }

 private:
  R reducer_;
  unsigned long long count_ = 0;
  T subtree_[static_cast<std::size_t>(Levels)];
};

/// Combines 1 <= count values in memory in the pairwise tree, which overwrites them, level by
/// level: compilers vectorise a level, but not pushes.
template <class T, class R>
T combine_all(T* value, index_t count, const R& reducer) {
  for (; count > 1; count -= count / 2) {
    const index_t pairs = count / 2;
    // A value is read before another one replaces it, or in the same step.
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index_t i = 0; i < pairs; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    if (count % 2 != 0) value[pairs] = value[count - 1];
  }
  return value[0];
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
