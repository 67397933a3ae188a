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

/// The terms of a tile that begins at index `begin`, by position in the tile: an int, which every
/// loop over a tile counts with, so that loads are seen to be contiguous. Where a position is a
/// loop's variable plus a constant, the constant comes apart, as `offset`.
template <class Load>
struct tile_loader {
  const Load& load;
  index_t begin;

  auto operator()(int position, int offset = 0) const { return load(begin + position + offset); }
  /// What the reducer is told as the index of that term.
  index_t index(int position) const { return begin + position; }
  /// Whether `count` positions have an index, so that from() may be asked for them.
  bool reaches(int) const { return true; }
  /// The `count` terms from `position` on, which exist.
  tile_loader from(int position, int) const { return {load, begin + position}; }
  index_t first() const { return begin; }
};

/// Functions are called with a number of their own index type, and how it comes about decides
/// whether loads become vectors. A signed sum cannot wrap around, so the addends are cast. An
/// unsigned one could for all that a compiler knows, so the sum is cast, after the compiler has
/// been told that it fits; cast addends cost a factor of 5 to 10.
template <class Function, class Index, class R>
struct tile_loader<function_load<Function, Index, R>> {
  static constexpr bool may_wrap = std::is_unsigned_v<Index> && sizeof(Index) < sizeof(index_t);

  const function_load<Function, Index, R>& load;
  index_t base;

  tile_loader(const function_load<Function, Index, R>& of, index_t first)
      : load(of), base(of.begin + first) {}

  auto operator()(int position, int offset = 0) const {
    const index_t at = index(position) + offset;
    if constexpr (std::is_unsigned_v<Index>) {
      return load.reducer.lift(load.function(static_cast<Index>(at)), at);
    } else {
      const auto i = static_cast<Index>(base);  // position + offset folds into one constant a row
      return load.reducer.lift(load.function(static_cast<Index>(i + (position + offset))), at);
    }
  }
  index_t index(int position) const { return base + position; }
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

/// Whether a term costs one read of memory rather than a function of unknown cost.
template <class Load>
inline constexpr bool reads_memory = false;
template <class T, class R>
inline constexpr bool reads_memory<contiguous_load<T, R>> = true;
template <class T, class R>
inline constexpr bool reads_memory<strided_load<T, R>> = true;

/// Whether terms need not lie side by side in memory, as far as is known.
template <class Terms>
inline constexpr bool is_strided = false;
template <class T, class R>
inline constexpr bool is_strided<tile_loader<strided_load<T, R>>> = true;

/// Bytes that a term is read from, where that is known; 0 of a function.
template <class Load>
inline constexpr std::size_t bytes_of_term = 0;
template <class T, class R>
inline constexpr std::size_t bytes_of_term<contiguous_load<T, R>> = sizeof(T);

/// Terms that have been computed already.
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
  index_t index(int position) const { return load(begin + position).index; }
  bool reaches(int) const { return true; }
  tile_loader from(int position, int) const { return {load, begin + position}; }
  index_t first() const { return begin; }
};

/// Makes a row's number unknown to the compiler, in loops whose rows are to stay one after the
/// other: memory is then read in its order, which hardware that fetches ahead follows best, and
/// lanes stay in registers. g++ 12 else folds pairs of rows into lanes in memory.
[[gnu::always_inline]] inline void optimization_barrier(int& row) { asm("" : "+r"(row)); }

/// Bytes of a vector register. A fold may take as many lanes together as have room in registers: it
/// is not the results that depend on this.
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

/// Lane l takes lane l + h for h = Width / 2, .., Left, after which so many lanes are left. A
/// template level by level, since loops of a constant length become vectors.
template <int Width, int Left = 1, class T, class R>
[[gnu::always_inline]] inline void combine_lanes(T* lane, const R& reducer) {
  if constexpr (Width > Left) {
    constexpr int half = Width / 2;
    for (int l = 0; l < half; ++l) lane[l] = reducer.combine(lane[l], lane[l + half]);
    combine_lanes<half, Left>(lane, reducer);
  }
}

/// Folds `rows` whole rows of terms into the lanes. The first two are combined at once: g++ 12
/// copies one alone by 16 bytes, which wider loads then wait for.
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

/// Folds a whole tile into the lanes, some rows of a lane at a time with its accumulator in a
/// register: what compilers make vectors of where accumulators are objects. Means and variances of
/// 10^5 doubles 21 us, row by row 41. More rows than these are not fetched ahead: smallest and
/// largest of 2^24 floats, as a user's operation, 1.6 ms by four rows, 2.3 by eight, every other of
/// 2^24 floats 2.7 by two, 3.6 by four.
template <int Lanes, class Terms, class T, class R>
[[gnu::always_inline]] inline void accumulate_lanewise(const Terms& terms, T* lane,
                                                       const R& reducer) {
  constexpr int rows = is_strided<Terms> ? 2 : 4;
  const Terms top = terms.from(0, rows * Lanes);
  for (int l = 0; l < Lanes; ++l)
    lane[l] = append_rows<Lanes, rows - 1>(top(l), top, l, Lanes, reducer);
  for (int row = rows; row < canonical::rows; row += rows) {
    const Terms below = terms.from(row * Lanes, rows * Lanes);
    for (int l = 0; l < Lanes; ++l)
      lane[l] = append_rows<Lanes, rows>(lane[l], below, l, 0, reducer);
  }
}

/// What to make of minimum<T> and maximum<T> of floating point in a tile: their order without a
/// thought of NaN, since looking out for one in each step costs a tile four times as much.
template <class R>
inline constexpr bool is_float_minmax = false;
template <std::floating_point T>
inline constexpr bool is_float_minmax<minimum<T>> = true;
template <std::floating_point T>
inline constexpr bool is_float_minmax<maximum<T>> = true;

/// The more extreme of two numbers, the first of equals. One instruction where there are vectors.
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

/// Integer as wide as a T, so that it has as many lanes in a vector.
template <class T>
using flag_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The extreme of Lanes x Rows numbers, a tile's or more, in the order of the commutative shape;
/// NaN if there is one. A row is taken in quarters, which share what tells whether there is a NaN:
/// one comparison for two numbers.
template <int Lanes, int Rows, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_minmax_rows(const Terms& terms,
                                                                         const R&) {
  using T = typename R::accumulator;
  constexpr int width = Lanes / 4;
  const number_order<R> order;
  lane_array<T, Lanes> best;
  lane_array<flag_of<T>, width> nan_seen;
  for (int l = 0; l < Lanes; ++l) best[l] = R{}.identity();
  for (int l = 0; l < width; ++l) nan_seen[l] = 0;
  for (int row = 0; row < Rows; ++row) {
    optimization_barrier(row);
    const Terms below = terms.from(row * Lanes, Lanes);
    for (int l = 0; l < width; ++l) {
      const T x[4] = {below(l), below(l, width), below(l, 2 * width), below(l, 3 * width)};
      const flag_of<T> met = __builtin_isunordered(x[0], x[1]) ? flag_of<T>{-1} : nan_seen[l];
      nan_seen[l] = __builtin_isunordered(x[2], x[3]) ? flag_of<T>{-1} : met;
      for (int q = 0; q < 4; ++q) best[l + q * width] = order.combine(best[l + q * width], x[q]);
    }
  }
  flag_of<T> any = 0;
  for (int l = 0; l < width; ++l) any |= nan_seen[l];
  combine_lanes<Lanes>(best, order);
  return any != 0 ? std::numeric_limits<T>::quiet_NaN() : best[0];
}

/// Reduces a whole tile of the commutative shape, or a float minimum or maximum in its order.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_whole_tile(const Terms& terms,
                                                                        const R& reducer) {
  using T = typename R::accumulator;
  if constexpr (is_float_minmax<R>) {
    return reduce_minmax_rows<Lanes, canonical::rows>(terms, reducer);
  } else {
    lane_array<T, Lanes> lane;
    if constexpr (std::is_arithmetic_v<T> && !is_strided<Terms>) {
      accumulate_rows<Lanes>(terms, canonical::rows, lane, reducer);
    } else {
      accumulate_lanewise<Lanes>(terms, lane, reducer);
    }
    combine_lanes<Lanes>(lane, reducer);
    return lane[0];
  }
}

/// Folds the 1 <= count terms of a last tile into lanes.
template <class Terms, class T, class R>
[[gnu::always_inline]] inline void accumulate_partial(const Terms& terms, int count, T* lane,
                                                      const R& reducer) {
  constexpr int lanes = canonical::lanes<T>;
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

/// The same, down to one value. Lanes without terms are skipped.
template <class Terms, class R>
typename R::accumulator reduce_partial_rows(const Terms& terms, int count, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  lane_array<T, lanes> lane;
  accumulate_partial(terms, count, lane, reducer);
  const int used = count < lanes ? count : lanes;
  if (used == lanes) {
    combine_lanes<lanes>(lane, reducer);
    return lane[0];
  }
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < used; ++l) lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// Folds the last tile, of 1 <= count terms.
template <class Terms, class R>
typename R::accumulator reduce_partial_tile(const Terms& terms, int count, const R& reducer) {
  constexpr int tile = canonical::tile<typename R::accumulator>;
  if (count > tile) __builtin_unreachable();
  if (terms.reaches(tile)) return reduce_partial_rows(terms.from(0, tile), count, reducer);
  return reduce_partial_rows(terms, count, reducer);
}

}  // namespace tandem::openmp_impl
