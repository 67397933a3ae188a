// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/scan.hpp>

/// Nodes of the scan's tree (docs/numerics.md) that lie within a part: what a part contributes to
/// the parts on its right.
namespace tandem::detail {

/// A node of the tree above a scan: what 32^level tiles combine to. It has no padding, which would
/// be copied uninitialised.
template <class T>
struct scan_node {
  T value;
  unsigned char level[alignof(T)];  // in the first byte
};

/// The fewest nodes that cover a part's tiles, at most 62 per level: ranges of nodes from left to
/// right, first of ascending levels and then of descending ones. Ranges may be empty.
struct whole_nodes {
  static constexpr int ranges = 2 * canonical::scan_levels;

  range tiles;

  /// The nodes of a level that lie within the part.
  TANDEM_FUNCTION constexpr range of_level(int level) const {
    const index_t covered = index_t{1} << (5 * level);
    const index_t begin = (tiles.begin + covered - 1) / covered;
    const index_t end = tiles.end / covered;
    return {begin, end < begin ? begin : end};
  }
  TANDEM_FUNCTION static constexpr int level_of(int number) {
    return number < canonical::scan_levels ? number : ranges - 1 - number;
  }
  /// Range number 0 <= r < ranges: nodes of a level in front of those that nodes of the next level
  /// cover, or behind them.
  TANDEM_FUNCTION constexpr range at(int number) const {
    const int level = level_of(number);
    const range own = of_level(level);
    const range above = of_level(level + 1);
    const auto within = [&](index_t i) { return i < own.end ? i : own.end; };
    if (number < canonical::scan_levels)
      return {own.begin, within(above.begin * canonical::scan_radix)};
    return {within(above.end * canonical::scan_radix), own.end};
  }

  /// How many they are.
  constexpr index_t count() const {
    index_t nodes = 0;
    for (int r = 0; r < ranges; ++r) nodes += at(r).size();
    return nodes;
  }
};

/// Stores node i of those that cover a part, and behind them the total of the next tile.
template <class T>
struct list_nodes {
  whole_nodes of;
  const T* node[canonical::scan_levels];  // by the number of a node in the whole
  const T* next_tile;
  scan_node<T>* to;

  TANDEM_FUNCTION void operator()(index_t i) const {
    index_t left = i;
    int r = 0;
    while (r < whole_nodes::ranges && left >= of.at(r).size()) left -= of.at(r++).size();
    if (r == whole_nodes::ranges) {
      to[i] = {*next_tile, {}};
    } else {
      const int level = whole_nodes::level_of(r);
      to[i] = {node[level][of.at(r).begin + left], {static_cast<unsigned char>(level)}};
    }
  }
};

/// Computes the nodes that cover a part, in memory of its space, from the totals of its tiles.
template <class Space, class T>
class node_list {
 public:
  node_list(const Space& space, const range& tiles)
      : of_{tiles}, values_(extents<1>(value_count(of_) + 1), space) {}

  T* totals() { return values_.data_handle(); }
  /// The total of the tile behind the part.
  T* next_total() { return values_.data_handle() + values_.size() - 1; }

  /// Combines the totals and stores the nodes to `to`, with the next tile's total if it is there.
  template <class R>
  void store(const Space& space, const char* name, const R& reducer, bool has_next,
             scan_node<T>* to) {
    list_nodes<T> list{of_, {}, next_total(), to};
    T* memory = totals();
    for (int k = 0; k < canonical::scan_levels; ++k) {
      const range own = of_.of_level(k);
      if (own.size() == 0) break;
      T* const here = moved_back(memory, own.begin);
      list.node[k] = here;
      memory += own.size();
      const range above = of_.of_level(k + 1);
      if (above.size() > 0) {
        dispatch_for(space, name, above,
                     scan_nodes<T, R>{reducer, own.end, here, moved_back(memory, above.begin)});
      }
    }
    const index_t count = of_.count() + (has_next ? 1 : 0);
    if (count > 0) dispatch_for(space, name, range(count), list);
  }

 private:
  static index_t value_count(const whole_nodes& of) {
    index_t values = 0;
    for (int k = 0; k < canonical::scan_levels; ++k) values += of.of_level(k).size();
    return values;
  }

  whole_nodes of_;
  array<T, 1, Space, layout_right> values_;
};

/// Moves the nodes on the left of a tile, as in scan_part, on by `count` nodes that follow them.
template <class T, class R>
struct advance_left {
  R reducer;
  index_t tile;  // on whose left `from` is
  const T* from;
  const scan_node<T>* nodes;
  index_t count;
  T* left;

  TANDEM_FUNCTION void operator()(index_t) const {
    index_t filled[canonical::scan_levels];
    for (int k = 0; k < canonical::scan_levels; ++k) {
      filled[k] = scan_digit(tile, k);
      const index_t first = k * canonical::scan_radix;
      for (index_t i = first; i < first + filled[k]; ++i) left[i] = from[i];
    }
    for (index_t i = 0; i < count; ++i) push(nodes[i].level[0], nodes[i].value, filled);
  }

 private:
  /// Adds a node behind its siblings; the last one completes a node of the next level.
  TANDEM_FUNCTION void push(int level, T value, index_t* filled) const {
    for (;; ++level) {
      T* const siblings = left + level * canonical::scan_radix;
      siblings[filled[level]++] = value;
      if (filled[level] < canonical::scan_radix) return;
      kogge_stone(siblings, canonical::scan_radix, reducer);
      value = siblings[canonical::scan_radix - 1];
      filled[level] = 0;
    }
  }
};

}  // namespace tandem::detail
