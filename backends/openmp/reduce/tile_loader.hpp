// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>

#include <cstddef>
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

}  // namespace tandem::openmp_impl
