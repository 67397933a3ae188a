// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/range.hpp>

#include <cstddef>

namespace tandem::detail {

/// What a member contributes to a reduction of n terms of which it has a part: the accumulators of
/// the largest subtrees of whole tiles, and the terms of the tiles that its cuts split, which are
/// folded by the host, which has all of them (docs/numerics.md).
struct reduction_part {
  range head;   ///< terms of a tile that begins in an earlier part
  range tiles;  ///< terms of tiles that begin in this part and end in it
  range tail;   ///< terms of a tile that begins in this part and ends in a later one

  static reduction_part of(const range& terms, index_t n, index_t tile) {
    const auto within = [&](index_t i) { return i < terms.end ? i : terms.end; };
    const index_t first = within((terms.begin + tile - 1) / tile * tile);
    index_t last = terms.end == n ? n : terms.end / tile * tile;
    if (last < first) last = first;
    return {{terms.begin, first}, {first, last}, {last, terms.end}};
  }

  index_t split_terms() const { return head.size() + tail.size(); }
};

/// Folds the terms of one tile, or of one segment of a reducer that does not commute, in the order
/// of docs/numerics.md: term(i) is an accumulator, 0 <= i < count.
template <class Term, class R>
typename R::accumulator fold_tile(index_t count, const Term& term, const R& reducer) {
  constexpr index_t lanes = R::commutative ? canonical::lanes<R> : 1;
  typename R::accumulator lane[static_cast<std::size_t>(lanes)];
  for (index_t i = 0; i < count; ++i)
    lane[i % lanes] = i < lanes ? term(i) : reducer.combine(lane[i % lanes], term(i));
  for (index_t half = lanes / 2; half >= 1; half /= 2) {
    for (index_t l = 0; l < half && l + half < count; ++l)
      lane[l] = reducer.combine(lane[l], lane[l + half]);
  }
  return lane[0];
}

}  // namespace tandem::detail
