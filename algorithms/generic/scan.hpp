// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/contract/strided.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

/// The reproducible scan (docs/numerics.md) in five loops, for every backend without a scan. It is
/// the specification, written to be verified by reading; its price is that it writes y twice.
namespace tandem::detail {

/// Computes x[i] = x[i - d] op x[i] for d = 1, 2, 4, 8, 16, for all i at once. Values before x[0]
/// are missing and skipped.
template <class T, class R>
TANDEM_FUNCTION void kogge_stone(T* x, index_t count, const R& reducer) {
  for (index_t d = 1; d < canonical::scan_radix; d *= 2) {
    for (index_t i = count - 1; i >= d; --i) x[i] = reducer.combine(x[i - d], x[i]);
  }
}

/// Size of the group that begins at `first`: a full one, or what remains.
TANDEM_FUNCTION inline index_t group_size(index_t first, index_t all, index_t full) {
  return all - first < full ? all - first : full;
}

/// Segment s: total[s] is the left fold of its terms, all 16 of which exist.
template <class Load, class T, class R>
struct fold_segments {
  scan_problem<Load, T, R> problem;
  T* total;

  TANDEM_FUNCTION void operator()(index_t s) const {
    const index_t first = s * canonical::segment;
    T folded = problem.load(first);
    for (index_t i = first + 1; i < first + canonical::segment; ++i)
      folded = problem.reducer.combine(folded, problem.load(i));
    total[s] = folded;
  }
};

/// Segment s: turns y into the left folds of its terms; total[s] is the last of them.
template <class Load, class T, class R>
struct scan_segments {
  scan_problem<Load, T, R> problem;
  T* total;

  TANDEM_FUNCTION void operator()(index_t s) const {
    const index_t first = s * canonical::segment;
    const index_t count = group_size(first, problem.size, canonical::segment);
    T folded = problem.load(first);
    problem.y[first * problem.y_stride] = folded;
    for (index_t i = first + 1; i < first + count; ++i) {
      folded = problem.reducer.combine(folded, problem.load(i));
      problem.y[i * problem.y_stride] = folded;
    }
    total[s] = folded;
  }
};

/// Tile t: replaces segment[s], the total of segment s, by the prefix of that segment within its
/// tile (undefined for the first segment of the tile, which has none); node[t] becomes the tile's
/// total.
template <class T, class R>
struct scan_tiles {
  R reducer;
  index_t segments;
  T* segment;
  T* node;

  TANDEM_FUNCTION void operator()(index_t t) const {
    const index_t begin = t * canonical::row_segments * canonical::tile_rows;
    const index_t end =
        begin + group_size(begin, segments, canonical::row_segments * canonical::tile_rows);
    T rows{};  // left fold of the rows so far
    for (index_t first = begin; first < end; first += canonical::row_segments) {
      const index_t count = group_size(first, end, canonical::row_segments);
      T* row = segment + first;
      kogge_stone(row, count, reducer);
      const T row_total = row[count - 1];
      const bool is_first = first == begin;
      for (index_t s = count - 1; s > 0; --s)
        row[s] = is_first ? row[s - 1] : reducer.combine(rows, row[s - 1]);
      if (!is_first) row[0] = rows;
      rows = is_first ? row_total : reducer.combine(rows, row_total);
    }
    node[t] = rows;
  }
};

/// Group g of up to 32 nodes: replaces them by their Kogge-Stone prefixes; the last one is the
/// parent node.
template <class T, class R>
struct scan_nodes {
  R reducer;
  index_t nodes;
  T* node;
  T* above;

  TANDEM_FUNCTION void operator()(index_t g) const {
    const index_t first = g * canonical::scan_radix;
    const index_t count = group_size(first, nodes, canonical::scan_radix);
    kogge_stone(node + first, count, reducer);
    above[g] = node[first + count - 1];
  }
};

/// Segment s: y = (prefix of the tile op prefix of the segment within it) op y.
template <class Load, class T, class R>
struct scan_apply {
  scan_problem<Load, T, R> problem;
  const T* segment;
  T* node[canonical::scan_levels];

  TANDEM_FUNCTION void operator()(index_t s) const {
    constexpr index_t tile_segments = canonical::row_segments * canonical::tile_rows;
    const R& reducer = problem.reducer;
    T before = problem.init;
    bool is_missing = !problem.exclusive;
    prepend_tiles(s / tile_segments, before, is_missing);
    if (s % tile_segments > 0) {
      before = is_missing ? segment[s] : reducer.combine(before, segment[s]);
      is_missing = false;
    }
    if (is_missing) return;
    const index_t first = s * canonical::segment;
    const index_t last = first + group_size(first, problem.size, canonical::segment) - 1;
    T* y = problem.y;
    const index_t stride = problem.y_stride;
    if (problem.exclusive) {
      for (index_t i = last; i > first; --i)
        y[i * stride] = reducer.combine(before, y[(i - 1) * stride]);
      y[first * stride] = before;
    } else {
      for (index_t i = first; i <= last; ++i)
        y[i * stride] = reducer.combine(before, y[i * stride]);
    }
  }

 private:
  /// Computes before = init op prefix(t). prefix(t) folds, from the highest level down, the node
  /// before digit k of t (base 32) among its siblings. A digit of zero has no node before it.
  TANDEM_FUNCTION void prepend_tiles(index_t t, T& before, bool& is_missing) const {
    T prefix{};
    bool has_prefix = false;
    for (int k = canonical::scan_levels - 1; k >= 0; --k) {
      const index_t at = t >> (5 * k);
      if (at % canonical::scan_radix == 0) continue;
      prefix = has_prefix ? problem.reducer.combine(prefix, node[k][at - 1]) : node[k][at - 1];
      has_prefix = true;
    }
    if (!has_prefix) return;
    before = is_missing ? prefix : problem.reducer.combine(before, prefix);
    is_missing = false;
  }
};

/// The nodes of the levels above a part's tiles, and the given ones on their left.
template <class T>
struct scan_levels_of_part {
  scan_part<T> part;
  T* node[canonical::scan_levels + 1];  // by the number of a node in the whole

  /// Puts the given nodes in their places: number i of scan_part::left.
  TANDEM_FUNCTION void operator()(index_t i) const {
    const int level = static_cast<int>(i / canonical::scan_radix);
    const index_t place = i % canonical::scan_radix;
    const index_t digit = scan_digit(part.first_tile, level);
    if (place < digit) node[level][(part.first_tile >> (5 * level)) - digit + place] = part.left[i];
  }

  /// The number of nodes of all levels.
  static index_t count(const range& tiles) {
    index_t nodes = 0;
    for (int k = 0; k <= canonical::scan_levels; ++k) nodes += scan_nodes_of_level(tiles, k).size();
    return nodes;
  }
  /// @param memory  count(tiles) values
  scan_levels_of_part(const scan_part<T>& of, const range& tiles, T* memory) : part(of) {
    for (int k = 0; k <= canonical::scan_levels; ++k) {
      const range nodes = scan_nodes_of_level(tiles, k);
      node[k] = moved_back(memory, nodes.begin);
      memory += nodes.size();
    }
  }
};

/// Scans a part of a whole on any space, through its loops and allocations.
template <class Space, class Load, class T, class R>
void generic_scan_part(const Space& space, const char* label,
                       const scan_problem<Load, T, R>& problem, const scan_part<T>& part) {
  using values = array<T, 1, Space, layout_right>;
  constexpr index_t tile_segments = canonical::row_segments * canonical::tile_rows;
  const range tiles(part.first_tile, ceil_div<index_t>(problem.size, canonical::scan_tile));
  const range segments(tiles.begin * tile_segments,
                       ceil_div<index_t>(problem.size, canonical::segment));
  values segment_values(extents<1>(segments.size()), space);
  values node_values(extents<1>(scan_levels_of_part<T>::count(tiles)), space);
  T* const segment = moved_back(segment_values.data_handle(), segments.begin);
  const scan_levels_of_part<T> levels(part, tiles, node_values.data_handle());
  scan_apply<Load, T, R> apply{problem, segment, {}};
  for (int k = 0; k < canonical::scan_levels; ++k) apply.node[k] = levels.node[k];

  dispatch_for(space, label, segments, scan_segments<Load, T, R>{problem, segment});
  dispatch_for(space, label, tiles,
               scan_tiles<T, R>{problem.reducer, segments.end, segment, levels.node[0]});
  if (tiles.begin > 0) dispatch_for(space, label, range{0, scan_part<T>::left_values}, levels);
  for (int k = 0; k < canonical::scan_levels; ++k) {
    const range nodes = scan_nodes_of_level(tiles, k);
    if (nodes.end == 1) break;
    const range groups(nodes.begin / canonical::scan_radix,
                       ceil_div<index_t>(nodes.end, canonical::scan_radix));
    dispatch_for(space, label, groups,
                 scan_nodes<T, R>{problem.reducer, nodes.end, levels.node[k], levels.node[k + 1]});
  }
  dispatch_for(space, label, segments, apply);
}

/// Scans on any space.
template <class Space, class Load, class T, class R>
void generic_scan(const Space& space, const char* label, const scan_problem<Load, T, R>& problem) {
  generic_scan_part(space, label, problem, scan_part<T>{});
}

/// Computes the totals of whole tiles on any space.
template <class Space, class Load, class T, class R>
void generic_scan_totals(const Space& space, const char* label,
                         const scan_problem<Load, T, R>& problem, const range& tiles, T* totals) {
  constexpr index_t tile_segments = canonical::row_segments * canonical::tile_rows;
  const range segments(tiles.begin * tile_segments, tiles.end * tile_segments);
  array<T, 1, Space, layout_right> values(extents<1>(segments.size()), space);
  T* const segment = moved_back(values.data_handle(), segments.begin);
  dispatch_for(space, label, segments, fold_segments<Load, T, R>{problem, segment});
  dispatch_for(
      space, label, tiles,
      scan_tiles<T, R>{problem.reducer, segments.end, segment, moved_back(totals, tiles.begin)});
}

/// Scans segment s.
template <class Load, class Offset, class R>
struct scan_segment {
  segmented_scan_problem<Load, Offset, R> problem;

  TANDEM_FUNCTION void operator()(index_t s) const {
    segment_scanner<Load, Offset, R>(problem, problem.of.segment(s)).run();
  }
};

/// Scans all segments of large elements, one after another, with segment_scan_scratch elements.
template <class Load, class Offset, class R>
struct scan_large_segments {
  segmented_scan_problem<Load, Offset, R> problem;
  typename R::result* scratch;

  TANDEM_FUNCTION void operator()(index_t) const {
    for (index_t s = 0; s < problem.of.segments; ++s)
      segment_scanner<Load, Offset, R>(problem, problem.of.segment(s), scratch).run();
  }
};

/// Scans segments in one loop, for backends without a segmented scan. It allocates nothing in the
/// loop, so that it cannot run out of memory after other segments have been written.
template <class Space, class Load, class Offset, class R>
void generic_segmented_scan(const Space& space, const char* label,
                            const segmented_scan_problem<Load, Offset, R>& problem) {
  using T = typename R::result;
  if constexpr (is_large<T>) {
    array<T, 1, Space, layout_right> scratch(extents<1>(segment_scan_scratch), space);
    dispatch_for(space, label, range{0, 1},
                 scan_large_segments<Load, Offset, R>{problem, scratch.data_handle()});
  } else {
    dispatch_for(space, label, range{0, problem.of.segments},
                 scan_segment<Load, Offset, R>{problem});
  }
}

}  // namespace tandem::detail
