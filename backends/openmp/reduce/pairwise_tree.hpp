// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// The aligned adjacent binary tree of the canonical shape over values that come in order. Slot k
/// holds a finished subtree of 2^k values exactly where bit k of their count is one.
template <class R>
class pairwise_tree {
  using T = typename R::accumulator;

 public:
  explicit pairwise_tree(const R& reducer) : reducer_(reducer) {}

  /// Adds a subtree of 2^level values; what came before is a multiple of that.
  void push(T value, int level = 0) {
    int k = level;
    for (; (count_ >> k & 1) != 0; ++k) value = reducer_.combine(subtree_[k], value);
    subtree_[k] = value;
    count_ += 1ull << level;
  }

  /// The root, after at least one push. A subtree without a sibling goes up a level as it is.
  T root() const {
    int k = __builtin_ctzll(count_);
    T value = subtree_[k];
    for (++k; count_ >> k != 0; ++k) {
      if ((count_ >> k & 1) != 0) value = reducer_.combine(subtree_[k], value);
    }
    return value;
  }

 private:
  R reducer_;
  unsigned long long count_ = 0;
  T subtree_[63];  // a count of indices has no more bits
};

/// The subtree over Count = 2^k values, which it overwrites.
template <int Count, class T, class R>
[[gnu::always_inline]] inline T combine_adjacent(T* value, const R& reducer) {
  if constexpr (Count > 1) {
    for (int i = 0; i < Count / 2; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    return combine_adjacent<Count / 2>(value, reducer);
  }
  return value[0];
}

/// The tree over 1 <= count values in memory, which it overwrites, level by level: compilers make
/// vectors of a level, and not of pushes.
template <class T, class R>
T combine_all(T* value, index_t count, const R& reducer) {
  for (; count > 1; count -= count / 2) {
    const index_t pairs = count / 2;
    // A value is read before, or in the same step as, another is put in its place.
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index_t i = 0; i < pairs; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    if (count % 2 != 0) value[pairs] = value[count - 1];
  }
  return value[0];
}

}  // namespace tandem::openmp_impl
