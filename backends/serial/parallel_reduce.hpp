// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

class serial;

/// The canonical shape of a reduction (docs/numerics.md), written for readers, not for speed.
namespace serial_impl {

/// A tile of the commutative shape: lane l folds the terms first + l, first + l + lanes, .. from
/// the left, in ascending order; then lane l takes lane l + h for h = lanes / 2, lanes / 4, .., 1.
/// Lanes without terms are skipped.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator fold_tile(index_t first, index_t last, const Load& load,
                                                    const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<R>;
  T lane[static_cast<std::size_t>(lanes)];
  lane[0] = load(first);
  for (int l = 1; l < lanes && first + l < last; ++l) lane[l] = load(first + l);
  for (index_t row = first + lanes; row < last; row += lanes) {
    for (int l = 0; l < lanes && row + l < last; ++l)
      lane[l] = reducer.combine(lane[l], load(row + l));
  }
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < last - first; ++l)
      lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// A segment of the ordered shape: a left fold of contiguous terms.
template <class Load, class R>
typename R::accumulator fold_segment(index_t first, index_t last, const Load& load,
                                     const R& reducer) {
  typename R::accumulator folded = load(first);
  for (index_t i = first + 1; i < last; ++i) folded = reducer.combine(folded, load(i));
  return folded;
}

/// folded = folded op right. A separate function, like fold_tile: frames of the recursion below
/// then hold one accumulator each.
template <class T, class R>
[[gnu::noinline]] void append(T& folded, const T& right, const R& reducer) {
  folded = reducer.combine(folded, right);
}

/// Reduces `count` leaves, starting with number `first`, in the aligned adjacent tree: v[i] = v[2i]
/// op v[2i + 1], level by level, until one value is left; a missing right side is skipped. So the
/// left side of the root is the largest whole tree of 2^k leaves that leaves something to the
/// right.
template <class Leaf, class T, class R>
[[gnu::noinline]] void combine_adjacent(index_t first, index_t count, const Leaf& leaf,
                                        const R& reducer, T& folded) {
  if (count == 1) return leaf(first, folded);
  index_t left = 1;
  while (left < count - left) left *= 2;
  combine_adjacent(first, left, leaf, reducer, folded);
  T right;
  combine_adjacent(first + left, count - left, leaf, reducer, right);
  append(folded, right, reducer);
}

}  // namespace serial_impl

/// Combines n >= 1 terms: tiles or segments, then the tree of adjacent ones.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const serial&, const char*, index_t n, const Load& load,
                                        const R& reducer) {
  constexpr index_t terms = R::commutative ? canonical::tile<R> : canonical::segment;
  const auto leaf = [&](index_t i, auto& folded) __attribute__((noinline)) {
    const index_t first = i * terms;
    const index_t last = n - first < terms ? n : first + terms;
    if constexpr (R::commutative) {
      folded = serial_impl::fold_tile(first, last, load, reducer);
    } else {
      folded = serial_impl::fold_segment(first, last, load, reducer);
    }
  };
  typename R::accumulator folded;
  serial_impl::combine_adjacent(0, (n - 1) / terms + 1, leaf, reducer, folded);
  return folded;
}

/// Reduces n >= 0 terms and leaves the result in `out`.
template <class Load, class R>
void dispatch_reduce_into(const serial& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  *out = n == 0 ? reducer.empty() : reducer.finish(dispatch_reduce(space, label, n, load, reducer));
}

}  // namespace tandem
