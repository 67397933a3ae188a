// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>

namespace tandem::openmp_impl {

/// A value that may be missing, as the prefix of a first tile is.
template <class T>
struct maybe {
  T value{};
  bool is_there = false;

  /// value = value op later.
  template <class R>
  void append(const T& later, const R& reducer) {
    value = is_there ? reducer.combine(value, later) : later;
    is_there = true;
  }
  /// value = earlier op value.
  template <class R>
  void prepend(const T& earlier, const R& reducer) {
    value = is_there ? reducer.combine(earlier, value) : earlier;
    is_there = true;
  }
};

/// The prefix of a tile, for tiles in order: the canonical 32-ary tree, of which each level keeps
/// the Kogge-Stone values of its unfinished group.
template <class T, class R>
class running_prefix {
 public:
  explicit running_prefix(const R& reducer) : reducer_(reducer) {}

  /// The prefix of the next tile: from the highest level down, the last values of the unfinished
  /// groups, combined.
  maybe<T> before_next() const {
    maybe<T> prefix;
    for (int k = canonical::scan_levels - 1; k >= 0; --k) {
      if (levels_[k].count > 0) prefix.append(levels_[k].last, reducer_);
    }
    return prefix;
  }

  /// Adds the total of the next tile.
  void push(T node) {
    for (level& nodes : levels_) {
      node = nodes.append(node, reducer_);
      if (nodes.count < canonical::scan_radix) return;
      nodes.count = 0;
    }
  }

 private:
  struct level {
    int count = 0;
    T last;
    // The group's values before the steps of d = 1, 2, 4, 8, 16.
    T step[5][static_cast<std::size_t>(canonical::scan_radix)];

    /// Adds a node; returns its Kogge-Stone value, which depends on earlier nodes only.
    T append(T value, const R& reducer) {
      for (int k = 0; k < 5; ++k) {
        step[k][count] = value;
        const int distance = 1 << k;
        if (count >= distance) value = reducer.combine(step[k][count - distance], value);
      }
      ++count;
      last = value;
      return value;
    }
  };

  R reducer_;
  level levels_[canonical::scan_levels];
};

}  // namespace tandem::openmp_impl
