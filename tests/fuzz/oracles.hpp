// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <tandem/core/extents.hpp>

/// The reductions, scans and comparisons of docs/numerics.md, implemented from that page alone and
/// as slowly as it reads. Nothing here may call or copy tandem's code.
namespace tandem::fuzz::oracle {

/// a op b; a missing operand is skipped.
template <class T, class Op>
std::optional<T> combine(const std::optional<T>& a, const std::optional<T>& b, const Op& op) {
  if (!a) return b;
  if (!b) return a;
  return op(*a, *b);
}

/// v[i] = v[2i] op v[2i+1], level by level, until one is left.
template <class T, class Op>
T adjacent_tree(std::vector<T> v, const Op& op) {
  while (v.size() > 1) {
    std::vector<T> next;
    for (std::size_t i = 0; i < v.size(); i += 2)
      next.push_back(i + 1 < v.size() ? T(op(v[i], v[i + 1])) : v[i]);
    v = std::move(next);
  }
  return v[0];
}

/// The number of lanes of a tile of accumulators of type T.
template <class T>
constexpr std::size_t lanes_of = sizeof(T) <= 4   ? 64
                                 : sizeof(T) <= 8 ? 32
                                                  : 16;

/// "Reduce": lanes of a tile, a tree over the lanes, a tree over the tiles. At least one term.
template <class T, class Op>
T reduce(const std::vector<T>& x, const Op& op, std::size_t lanes = lanes_of<T>) {
  constexpr std::size_t rows = 32;
  std::vector<T> tiles;
  for (std::size_t begin = 0; begin < x.size(); begin += lanes * rows) {
    std::vector<std::optional<T>> a(lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t row = 0; row < rows && begin + row * lanes + l < x.size(); ++row)
        a[l] = combine(a[l], std::optional<T>(x[begin + row * lanes + l]), op);
    }
    for (std::size_t h = lanes / 2; h >= 1; h /= 2) {
      for (std::size_t l = 0; l < h; ++l) a[l] = combine(a[l], a[l + h], op);
    }
    tiles.push_back(*a[0]);
  }
  return adjacent_tree(std::move(tiles), op);
}

/// "the ordered shape": segments of 16 terms from the left, a tree over all segments.
template <class T, class Op>
T reduce_ordered(const std::vector<T>& x, const Op& op) {
  std::vector<T> segments;
  for (std::size_t begin = 0; begin < x.size(); begin += 16) {
    T sum = x[begin];
    for (std::size_t i = begin + 1; i < std::min(begin + 16, x.size()); ++i) sum = op(sum, x[i]);
    segments.push_back(sum);
  }
  return adjacent_tree(std::move(segments), op);
}

/// Kogge-Stone inclusive prefixes of at most 32 values.
template <class T, class Op>
std::vector<T> kogge_stone(std::vector<T> x, const Op& op) {
  for (std::size_t d = 1; d <= 16; d *= 2) {
    const std::vector<T> before = x;
    for (std::size_t i = d; i < x.size(); ++i) x[i] = op(before[i - d], before[i]);
  }
  return x;
}

/// "Scan", for one operation and the elements that it combines.
template <class T, class Op>
class scan {
 public:
  scan(const std::vector<T>& x, const Op& op) : x_(x), op_(op), local_(x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % segment != 0) local_[i] = op_(local_[i - 1], x[i]);
    }
    for (std::size_t begin = 0; begin < x.size(); begin += tile) add_tile(begin);
    while (nodes_.back().size() > 1) add_level();
  }

  /// y[i] = (prefix(t) op e_s) op local[i].
  std::vector<T> inclusive() const {
    std::vector<T> y(local_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto before = combine(prefix(i / tile), segments_[i / segment], op_);
      if (before) y[i] = op_(*before, local_[i]);
    }
    return y;
  }

  /// y[i] = (init op prefix(t) op e_s) op local[i - 1]; the last operand is missing at a segment's
  /// start.
  std::vector<T> exclusive(const T& init) const {
    std::vector<T> y(local_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      auto before = combine(std::optional<T>(init), prefix(i / tile), op_);
      before = combine(before, segments_[i / segment], op_);
      y[i] = i % segment == 0 ? *before : T(op_(*before, local_[i - 1]));
    }
    return y;
  }

 private:
  static constexpr std::size_t segment = 16;
  static constexpr std::size_t row = 32 * segment;
  static constexpr std::size_t tile = 8 * row;

  /// Computes e_s for the segments of a tile, and the tile's total.
  void add_tile(std::size_t begin) {
    std::optional<T> rows;  // R_w
    for (std::size_t w = begin; w < std::min(begin + tile, x_.size()); w += row) {
      std::vector<T> totals;
      for (std::size_t s = w; s < std::min(w + row, x_.size()); s += segment)
        totals.push_back(local_[std::min(s + segment, x_.size()) - 1]);
      const std::vector<T> sums = kogge_stone(totals, op_);
      for (std::size_t s = 0; s < sums.size(); ++s)
        segments_.push_back(combine(rows, s == 0 ? std::optional<T>() : sums[s - 1], op_));
      rows = combine(rows, std::optional<T>(sums.back()), op_);
    }
    if (nodes_.empty()) nodes_.emplace_back();
    nodes_[0].push_back(*rows);
  }

  void add_level() {
    const std::vector<T>& below = nodes_.back();
    std::vector<T> level;
    std::vector<T> sums;
    for (std::size_t g = 0; g < below.size(); g += 32) {
      const auto end = below.begin() + static_cast<std::ptrdiff_t>(std::min(g + 32, below.size()));
      const auto part =
          kogge_stone(std::vector<T>(below.begin() + static_cast<std::ptrdiff_t>(g), end), op_);
      sums.insert(sums.end(), part.begin(), part.end());
      level.push_back(part.back());
    }
    prefixes_.push_back(std::move(sums));
    nodes_.push_back(std::move(level));
  }

  /// prefix(t) = ((Pre_K op ..) op Pre_1) op Pre_0.
  std::optional<T> prefix(std::size_t t) const {
    std::optional<T> result;
    for (std::size_t k = prefixes_.size(); k-- > 0;) {
      const std::size_t at = t >> (5 * k);
      if (at % 32 != 0) result = combine(result, std::optional<T>(prefixes_[k][at - 1]), op_);
    }
    return result;
  }

  std::vector<T> x_;
  Op op_;
  std::vector<T> local_;
  std::vector<std::optional<T>> segments_;  // e_s within the tile
  std::vector<std::vector<T>> nodes_;       // node_k
  std::vector<std::vector<T>> prefixes_;    // Kogge-Stone values over the siblings of node_k
};

/// "min and max compare and select; NaN if either is NaN, the first of equals".
template <class T>
T smaller(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  return a < b ? b : a;
}

/// Position of the smallest (largest) of the values: the first among equals, the first NaN before
/// any number; -1 for no values.
template <class T>
index_t extreme_position(const std::vector<T>& x, bool largest) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i]) return static_cast<index_t>(i);
  }
  index_t at = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool better = at < 0 || (largest ? x[static_cast<std::size_t>(at)] < x[i]
                                           : x[i] < x[static_cast<std::size_t>(at)]);
    if (better) at = static_cast<index_t>(i);
  }
  return at;
}

/// Sums and multiplies integers modulo 2^bits, other types directly.
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return T(a + b);
  }
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return T(a * b);
  }
}

}  // namespace tandem::fuzz::oracle
