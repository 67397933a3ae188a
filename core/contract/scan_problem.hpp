// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

/// A scan as backends receive it, checked: y[i * y_stride] = op(.. op(load(0), load(1)) ..,
/// load(i)) in the order of docs/numerics.md, or for an exclusive scan of the elements before i,
/// with `init` leftmost.
///
/// Load  function object index_t -> T: contiguous_load, strided_load or function_load
/// T     element and accumulator type
/// R     plain reducer over T, for its combine() and commutativity
///
/// load may read element i of y (a scan in place), but nothing else of y.
template <class Load, class T, class R>
struct scan_problem {
  index_t size = 0;
  Load load;
  R reducer;
  T* y = nullptr;
  index_t y_stride = 1;
  bool exclusive = false;
  T init{};
};

/// What a backend receives beside the problem if it scans a part of a whole: tiles `first_tile` to
/// the one of term problem.size - 1. The problem's load and y take numbers of the whole, and have
/// those of the part alone.
///
/// `left` holds the nodes before the part, in memory of the space, at most 31 per level: the
/// siblings before digit k of first_tile (base 32), which are whole, from left[32 k] on.
template <class T>
struct scan_part {
  static constexpr index_t left_values = index_t{canonical::scan_levels} * canonical::scan_radix;

  index_t first_tile = 0;
  const T* left = nullptr;  ///< may be null if first_tile is 0
};

namespace detail {

/// Digit k of a tile's number, base 32: how many nodes of level k are before it below one node of
/// the next level.
TANDEM_FUNCTION constexpr index_t scan_digit(index_t tile, int level) {
  static_assert(canonical::scan_radix == 32, "digits of 5 bits");
  return (tile >> (5 * level)) % canonical::scan_radix;
}

/// The nodes of a level that a scan of these tiles needs: those above them, and the nodes before
/// them below the same node of the next level.
constexpr range scan_nodes_of_level(const range& tiles, int level) {
  const index_t tiles_of_node = index_t{1} << (5 * level);
  const index_t first = tiles.begin / tiles_of_node;
  return {first - scan_digit(tiles.begin, level), (tiles.end + tiles_of_node - 1) / tiles_of_node};
}

}  // namespace detail

}  // namespace tandem
