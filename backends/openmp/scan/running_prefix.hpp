// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/contract/scan_problem.hpp>

namespace tandem::openmp_impl {

/// A value that may be missing, such as the prefix of a first tile.
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

/// The prefix of a tile, for tiles in order: the canonical 32-ary tree, each level of which keeps
/// the Kogge-Stone values of its unfinished group.
template <class T, class R>
class running_prefix {
 public:
  /// For up to `tiles` tiles. Large values are kept on the heap. Errors: out_of_memory_error.
  running_prefix(const R& reducer, index_t tiles)
      : reducer_(reducer), count_(levels_over(tiles)), levels_(count_) {
    for (int k = 0; k < count_; ++k) levels_.data()[k].count = 0;
  }

  /// Adds the nodes on the left of a part, before its first tile.
  void start_at(const scan_part<T>& part) {
    for (int k = 0; k < count_ && part.first_tile > 0; ++k) {
      const T* const left = part.left + k * canonical::scan_radix;
      for (index_t i = 0; i < detail::scan_digit(part.first_tile, k); ++i)
        levels_.data()[k].append(left[i], reducer_);
    }
  }

  /// Returns the prefix of the next tile: the last values of the unfinished groups, combined from
  /// the highest level down.
  maybe<T> before_next() const {
    maybe<T> prefix;
    for (int k = count_ - 1; k >= 0; --k) {
      const level& nodes = levels_.data()[k];
      if (nodes.count > 0) prefix.append(nodes.last, reducer_);
    }
    return prefix;
  }

  /// Adds the total of the next tile.
  void push(T node) {
    for (int k = 0; k < count_; ++k) {
      level& nodes = levels_.data()[k];
      node = nodes.append(node, reducer_);
      if (nodes.count < canonical::scan_radix) return;
      nodes.count = 0;
    }
  }

 private:
  struct level {
    int count;
    T last;
    // The group's values before the steps of d = 1, 2, 4, 8, 16.
    T step[5][static_cast<std::size_t>(canonical::scan_radix)];

    /// Adds a node and returns its Kogge-Stone value, which only depends on earlier nodes.
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

  /// Levels that suffice to keep every node until all tiles have been pushed.
  static int levels_over(index_t tiles) {
    int levels = 0;
    for (; tiles > 0; tiles /= canonical::scan_radix) ++levels;
    return levels;
  }

  R reducer_;
  int count_;
  small_scratch<level, scratch_on_stack<T>> levels_;
};

}  // namespace tandem::openmp_impl
