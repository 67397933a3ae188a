// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/reducers/concept.hpp>

/// The canonical combination of large accumulators (is_large), few of which fit a thread's stack.
/// Functions return them through a reference, and are not inlined, so that frames stay small.
namespace tandem::openmp_impl {

/// Whether the lanes of a tile fit a thread's stack among all else.
template <class T>
inline constexpr bool stacks_lanes = sizeof(T) <= 512;

/// Blocks of 2^levels tiles or segments have a tree on the stack; a recursion combines the blocks.
template <class T>
inline constexpr int large_block_levels = stacks_lanes<T> ? 5 : 0;
template <class R>
inline constexpr index_t large_block_terms =
    index_t{R::commutative ? canonical::tile<R> : canonical::segment}
    << large_block_levels<typename R::accumulator>;

/// total = total op right. A separate function, so that no frame of a recursion holds the result.
template <class T, class R>
[[gnu::noinline]] void append_large(T& total, const T& right, const R& reducer) {
  total = reducer.combine(total, right);
}

/// Combines count >= 1 leaves, starting with number `first`, in the pairwise tree; leaf(i, total)
/// computes one. There is one accumulator on the stack for each level that the tree has; a
/// pairwise_tree would have room for every level that an index can have.
template <class T, class Leaf, class R>
[[gnu::noinline]] void reduce_large(index_t first, index_t count, const Leaf& leaf,
                                    const R& reducer, T& total) {
  if (count == 1) return leaf(first, total);
  index_t left = 1;
  while (left < count - left) left *= 2;
  reduce_large(first, left, leaf, reducer, total);
  T right;
  reduce_large(first + left, count - left, leaf, reducer, right);
  append_large(total, right, reducer);
}

/// Folds the terms first, first + step, .. before `end` from the left.
template <class Load, class T, class R>
[[gnu::noinline]] void fold_large(const Load& load, index_t first, index_t end, index_t step,
                                  const R& reducer, T& total) {
  total = load(first);
  for (index_t i = first + step; i < end; i += step) total = reducer.combine(total, load(i));
}

/// Reduces the lanes lane, lane + step, .. of a tile whose terms end before `end`. Each is folded
/// when its turn comes, so that one accumulator per step waits.
template <class Load, class T, class R>
[[gnu::noinline]] void reduce_large_lanes(const Load& load, index_t first, index_t end, int lane,
                                          int step, const R& reducer, T& total) {
  constexpr int lanes = canonical::lanes<R>;
  if (step == lanes) return fold_large(load, first + lane, end, lanes, reducer, total);
  reduce_large_lanes(load, first, end, lane, 2 * step, reducer, total);
  if (lane + step >= end - first) return;
  T right;
  reduce_large_lanes(load, first, end, lane + step, 2 * step, reducer, right);
  append_large(total, right, reducer);
}

}  // namespace tandem::openmp_impl
