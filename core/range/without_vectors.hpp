// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/range.hpp>

#include <concepts>

namespace tandem {

namespace detail {

/// An index space as written at a call: a number of indices from zero, a range or a grid.
template <class Indices>
inline constexpr bool is_index_space = std::integral<Indices> || std::derived_from<Indices, range>;
template <int Rank, bool FromZero>
inline constexpr bool is_index_space<grid<Rank, FromZero>> = true;
template <int Rank, index_t Threads, bool FromZero>
inline constexpr bool is_index_space<block_grid<Rank, Threads, FromZero>> = true;

}  // namespace detail

/// Indices whose loop a CPU runs one by one; without_vectors() makes them.
template <class Indices>
struct scalar_indices : Indices {};

/// These indices, for a loop that a CPU runs one by one instead of in vectors:
///
///   parallel_for(without_vectors(grid{ny, nx}), f)
///
/// For bodies that vectors make slower: many elements at indices that are read from memory, or an
/// expensive branch that few indices take. It changes no result. The compiler may still use vectors
/// inside one call of f. A GPU has no such choice. Operations other than parallel_for ignore it.
///
/// @param indices  n, a range or a grid, whose launch shape remains: without_vectors(range{0, n}
///                 .with_block<256>())
template <class Indices>
constexpr auto without_vectors(const Indices& indices) {
  constexpr bool counts = detail::is_index_space<Indices>;
  static_assert(counts, "tandem: without_vectors takes n, a range or a grid");
  if constexpr (!counts) {
    return range(0, 0);
  } else if constexpr (std::integral<Indices>) {
    return scalar_indices<range>{range(0, static_cast<index_t>(indices))};
  } else {
    return scalar_indices<Indices>{indices};
  }
}

namespace detail {

template <class Indices>
inline constexpr bool is_index_space<scalar_indices<Indices>> = true;

template <class Indices>
inline constexpr bool is_scalar = false;
template <class Indices>
inline constexpr bool is_scalar<scalar_indices<Indices>> = true;

/// A function of a loop that a backend of the host does not make vectors of.
template <class Function, class... Index>
struct scalar_function {
  using user_function = Function;

  Function function;

  [[gnu::always_inline]] void operator()(Index... index) const { function(index...); }
};

/// Whether a backend's function is such a function.
template <class Function>
inline constexpr bool is_scalar_function = false;
template <class Function, class... Index>
inline constexpr bool is_scalar_function<scalar_function<Function, Index...>> = true;
template <int Rank, class Index, class Function>
inline constexpr bool is_scalar_function<shifted<Rank, Index, Function>> =
    is_scalar_function<Function>;

}  // namespace detail
}  // namespace tandem
