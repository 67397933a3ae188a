// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/reducers/concept.hpp>

#include <type_traits>

namespace tandem {

/// Scans of neighbouring segments as backends receive them: element i of y is element i - begin of
/// the canonical scan (docs/numerics.md) of the segment's terms alone.
///
/// Load, Offset, R  as in segmented_problem, whose `out` is y; R's result is the element type
///
/// Elements of y that are in no segment are unchanged. load may read element i of y, but nothing
/// else of y.
template <class Load, class Offset, class R>
struct segmented_scan_problem {
  using element = typename R::result;

  segmented_problem<Load, Offset, R> of;
  bool exclusive = false;
  element init{};
};

/// Elements that the scan of a segment keeps on the thread's stack, or in scratch memory if they
/// are large (is_large): nodes, the steps over them and the totals of a row.
inline constexpr int segment_scan_nodes = canonical::scan_levels * canonical::scan_radix;
inline constexpr int segment_scan_scratch =
    segment_scan_nodes + canonical::scan_radix + canonical::row_segments;

/// The prefix of the next tile of a scan that processes its tiles in order: the totals of the tiles
/// so far, as digits in base 32, each with its nodes (docs/numerics.md, "Scan").
template <class T, class R>
class running_tiles {
 public:
  /// @param scratch  segment_scan_scratch elements if they are large
  TANDEM_FUNCTION running_tiles(const R& reducer, T* scratch)
      : reducer_(reducer), scratch_(scratch) {}

  /// before = before op prefix, if there is a prefix; `is_missing` says whether `before` is
  /// missing.
  TANDEM_FUNCTION void append_prefix(T& before, bool& is_missing) const {
    T prefix{};
    bool has_prefix = false;
    for (int k = levels - 1; k >= 0; --k) {
      if (count_[k] == 0) continue;
      const T node = last_kogge_stone(k);
      prefix = has_prefix ? reducer_.combine(prefix, node) : node;
      has_prefix = true;
    }
    if (!has_prefix) return;
    before = is_missing ? prefix : reducer_.combine(before, prefix);
    is_missing = false;
  }

  /// Adds the total of a whole tile.
  TANDEM_FUNCTION void push(T total) {
    for (int k = 0; k < levels; ++k) {
      nodes(k)[count_[k]++] = total;
      if (count_[k] < canonical::scan_radix) return;
      total = last_kogge_stone(k);
      count_[k] = 0;
    }
  }

 private:
  static constexpr int levels = canonical::scan_levels;

  TANDEM_FUNCTION T* nodes(int level) {
    return (detail::is_large<T> ? scratch_ : node_) + level * canonical::scan_radix;
  }
  TANDEM_FUNCTION const T* nodes(int level) const {
    return (detail::is_large<T> ? scratch_ : node_) + level * canonical::scan_radix;
  }

  /// Returns the last Kogge-Stone value over the nodes of a level.
  TANDEM_FUNCTION T last_kogge_stone(int level) const {
    T local[detail::is_large<T> ? 1 : canonical::scan_radix] = {};
    T* const x = detail::is_large<T> ? scratch_ + segment_scan_nodes : local;
    const int count = count_[level];
    for (int i = 0; i < count; ++i) x[i] = nodes(level)[i];
    for (int d = 1; d < count; d *= 2) {
      for (int i = count - 1; i >= d; --i) x[i] = reducer_.combine(x[i - d], x[i]);
    }
    return x[count - 1];
  }

  const R& reducer_;
  T* scratch_;
  int count_[levels] = {};
  T node_[detail::is_large<T> ? 1 : segment_scan_nodes] = {};
};

/// Scans one segment on the calling thread, row by row.
template <class Load, class Offset, class R>
class segment_scanner {
 public:
  using problem_type = segmented_scan_problem<Load, Offset, R>;
  using T = typename problem_type::element;

  /// @param scratch  segment_scan_scratch elements for run() if they are large, else unused
  TANDEM_FUNCTION segment_scanner(const problem_type& problem, const segment_range& terms,
                                  T* scratch = nullptr)
      : problem_(problem), terms_(terms), scratch_(scratch) {}

  TANDEM_FUNCTION void run() const {
    terms_.size() > canonical::segment ? run_tiles() : run_short();
  }

  /// Scans a segment of at most 16 terms.
  TANDEM_FUNCTION void run_short() const {
    if (terms_.size() == 0) return;
    fold_segment(terms_.begin);
    if (problem_.exclusive) apply(terms_.begin, problem_.init);
  }

 private:
  static constexpr int segments = canonical::row_segments;

  TANDEM_FUNCTION void run_tiles() const {
    constexpr index_t row = index_t{canonical::row_segments} * canonical::segment;
    running_tiles<T, R> tiles(problem_.of.reducer, scratch_);
    for (index_t tile = terms_.begin; tile < terms_.end; tile += canonical::scan_tile) {
      T before = problem_.init;
      bool is_missing = !problem_.exclusive;
      tiles.append_prefix(before, is_missing);
      T rows{};  // left fold of the rows so far
      for (index_t first = tile; first < terms_.end && first < tile + canonical::scan_tile;
           first += row)
        scan_row(first, first == tile, before, is_missing, rows);
      tiles.push(rows);
    }
  }

  TANDEM_FUNCTION T& y(index_t i) const { return problem_.of.output(i); }
  TANDEM_FUNCTION index_t end_of(index_t first) const {
    const index_t end = first + canonical::segment;
    return end < terms_.end ? end : terms_.end;
  }

  /// Scans the row at term `first`, after the prefix of its tile and of the row within it.
  TANDEM_FUNCTION void scan_row(index_t first, bool is_first, const T& before, bool is_missing,
                                T& rows) const {
    const R& reducer = problem_.of.reducer;
    T local[detail::is_large<T> ? 1 : segments] = {};
    T* const total =
        detail::is_large<T> ? scratch_ + segment_scan_nodes + canonical::scan_radix : local;
    int count = 0;
    for (index_t begin = first; count < segments && begin < terms_.end; begin += canonical::segment)
      total[count++] = fold_segment(begin);
    for (int d = 1; d < count; d *= 2) {
      for (int s = count - 1; s >= d; --s) total[s] = reducer.combine(total[s - d], total[s]);
    }
    for (int s = 0; s < count; ++s) {
      T own = before;
      bool own_missing = is_missing;
      if (s > 0 || !is_first) {
        const T inner = s == 0     ? rows
                        : is_first ? total[s - 1]
                                   : reducer.combine(rows, total[s - 1]);
        own = is_missing ? inner : reducer.combine(before, inner);
        own_missing = false;
      }
      if (!own_missing) apply(first + s * canonical::segment, own);
    }
    rows = is_first ? total[count - 1] : reducer.combine(rows, total[count - 1]);
  }

  /// Writes the left folds of a segment's terms to y; returns the last one.
  TANDEM_FUNCTION T fold_segment(index_t begin) const {
    T folded = problem_.of.load(begin);
    y(begin) = folded;
    for (index_t i = begin + 1; i < end_of(begin); ++i) {
      folded = problem_.of.reducer.combine(folded, problem_.of.load(i));
      y(i) = folded;
    }
    return folded;
  }

  /// Combines a segment's prefix with its folds.
  TANDEM_FUNCTION void apply(index_t begin, const T& before) const {
    const R& reducer = problem_.of.reducer;
    if (problem_.exclusive) {
      for (index_t i = end_of(begin) - 1; i > begin; --i) y(i) = reducer.combine(before, y(i - 1));
      y(begin) = before;
    } else {
      for (index_t i = begin; i < end_of(begin); ++i) y(i) = reducer.combine(before, y(i));
    }
  }

  const problem_type& problem_;
  segment_range terms_;
  T* scratch_;
};

}  // namespace tandem
