// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/load.hpp>

namespace tandem::openmp_impl {

/// The terms of a tile that begins at index `first`, by position in the tile: an int, which every
/// loop over a tile counts with, so that loads are seen to be contiguous.
template <class Load>
struct tile_terms {
  const Load& load;
  index_t first;

  auto operator()(int position) const { return load(first + position); }
  /// What the reducer is told as the index of that term.
  index_t index(int position) const { return first + position; }
};

/// Functions are called with a sum in their own index type. A cast of a 64-bit sum to `int` could
/// wrap around for all that a compiler knows, and would become a gather.
template <class Function, class Index, class R>
struct tile_terms<function_load<Function, Index, R>> {
  const function_load<Function, Index, R>& load;
  index_t first;

  auto operator()(int position) const {
    const auto base = static_cast<Index>(load.begin + first);
    return load.reducer.lift(load.function(static_cast<Index>(base + static_cast<Index>(position))),
                             index(position));
  }
  index_t index(int position) const { return load.begin + first + position; }
};

/// Whether a term costs one read of memory rather than a function of unknown cost.
template <class Load>
inline constexpr bool reads_memory = false;
template <class T, class R>
inline constexpr bool reads_memory<contiguous_load<T, R>> = true;
template <class T, class R>
inline constexpr bool reads_memory<strided_load<T, R>> = true;

/// Terms that have been computed already.
template <class T>
struct stored_load {
  const T* data;

  T operator()(index_t i) const { return data[i]; }
};
template <class T>
inline constexpr bool reads_memory<stored_load<T>> = true;

template <class T>
struct tile_terms<stored_load<T>> {
  const stored_load<T>& load;
  index_t first;

  T operator()(int position) const { return load(first + position); }
  index_t index(int position) const { return load(first + position).index; }
};

}  // namespace tandem::openmp_impl
